package rollouttest

import (
	"fmt"
	"maps"
	"time"

	v1 "gati.dev/gati/api/v1"
)

// checkCauses: a version that was not judged by its traffic, and has all of its pods, is
// taken back only for many restarts.
func (c *Checker) checkCauses(l look) error {
	was := l.in.State.Rollout
	if l.in.Policy.Analysis != nil || was == nil || was.Target == nil || was.Mode != v1.RolloutSteps || was.Phase != v1.RolloutProgressing {
		return nil
	}
	name := was.Target.Workload
	seen, ok := l.in.Workloads[name]
	if !ok || seen.Ready < c.neededPods(l) || c.findFailure(l, name) != "" || !isGivenUp(l) {
		return nil
	}
	return fmt.Errorf("%s is rolled back with %d pods ready: %v", name, seen.Ready, l.d.Rollout.Rejected)
}

// isGivenUp reports whether the machine, and no user, has ended a rollout.
func isGivenUp(l look) bool {
	for _, e := range l.d.Rollout.History[min(len(l.in.State.Rollout.History), len(l.d.Rollout.History)):] {
		if e.What == "RolledBack" && e.By == "gati-webhook" {
			return true
		}
	}
	return false
}

// checkSilence: a gateway that owes an answer for longer than the deadline stalls the
// rollout, and ends nothing.
func (c *Checker) checkSilence(l look) error {
	overdue := !c.unanswered.IsZero() && l.in.Now.Sub(c.unanswered) > l.in.Policy.ProgressDeadline+time.Second
	if overdue && owesAnswer(l) && !l.d.Stalled {
		return fmt.Errorf("it has not answered since %s, and nothing is stalled: %s", c.unanswered.Format(time.TimeOnly), l.d.Reason)
	}
	return nil
}

// owesAnswer reports whether a decision waits for the gateway with the weights of the one
// before.
func owesAnswer(l look) bool {
	is := l.d.Rollout
	same := maps.EqualFunc(l.was, l.is, func(a, b v1.VersionStatus) bool { return a.Weight == b.Weight })
	return same && is.Phase == v1.RolloutProgressing && is.WaitingFor != nil && is.WaitingFor.Reason == v1.WaitingForGateway
}

func (c *Checker) persistSilence(l look) {
	switch {
	case !owesAnswer(l):
		c.unanswered = time.Time{}
	case c.unanswered.IsZero():
		c.unanswered = l.in.Now
	}
}
