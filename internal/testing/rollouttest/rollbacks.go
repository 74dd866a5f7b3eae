package rollouttest

import (
	"fmt"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/request"
	"gati.dev/gati/pkg/rollout"
)

// checkRollbacks: what is declared is never pinned, and a rollback without a version,
// made while another one is under way, means the version that this one goes to.
func (c *Checker) checkRollbacks(l look) error {
	was, is := l.in.State.Rollout, l.d.Rollout
	if p := is.Pinned; p != nil && p.SameTemplate(is.Declared) {
		return fmt.Errorf("%s is declared and pinned", p.Title())
	}
	if was == nil || was.Phase != v1.RolloutRollingBack || !c.hasRequest(l, request.Rollback) || l.in.Request.Argument != "" {
		return nil
	}
	if p := is.Pinned; p != nil && !p.SameTemplate(was.Stable) && !p.SameTemplate(&pinnedBefore(l).UnitRef) {
		return fmt.Errorf("on the way back to %s, a rollback goes to %s", was.Stable.Title(), p.Title())
	}
	return nil
}

func pinnedBefore(l look) *v1.PinnedStatus {
	if p := l.in.State.Rollout.Pinned; p != nil {
		return p
	}
	return &v1.PinnedStatus{}
}

// persistRetry takes in that what is declared may be tried again: a user asked for it.
func (c *Checker) persistRetry(l look) {
	switch l.in.Request.Verb {
	case request.Retry, request.Rollback:
		delete(c.rejected, l.in.Declared.Revision)
	case request.Promote:
	default:
		return
	}
	c.forgetFailure(l.in)
}

// forgetFailure takes in that a rollout that failed begins anew: what happened before does
// not count.
func (c *Checker) forgetFailure(in rollout.Input) {
	if was := in.State.Rollout; was != nil && was.Phase == v1.RolloutFailed {
		c.restarts = nil
	}
}
