package rollouttest

import (
	"fmt"
	"slices"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/rollout"
)

// losses are the Events that tell why a version loses weight.
var losses = []string{"RolledBack", "Superseded", "Interrupted", "Requested", "Failed"}

// checkKeptWeight: another strategy, and other steps, take no weight from the declared
// version. Under Manual the records do.
func (c *Checker) checkKeptWeight(l look) error {
	was, is := l.in.State.Rollout, l.d.Rollout
	if was == nil || l.in.Policy.Strategy == v1.StrategyManual || was.Phase == v1.RolloutRollingBack || is.Pinned != nil || was.Mode == v1.RolloutInPlace {
		return nil
	}
	before, after := declaredWeight(l, l.in.State.Versions), declaredWeight(l, l.d.Versions)
	isTold := slices.ContainsFunc(l.d.Events, func(e rollout.Event) bool { return slices.Contains(losses, e.Reason) })
	isRejected := slices.ContainsFunc(is.Rejected, func(r v1.RejectedStatus) bool { return r.Revision == l.in.Declared.Revision })
	held := c.isHeld(l, l.in.Declared.Version) || l.in.Records[l.in.Declared.Version].Inactive
	if after >= before || isTold || isRejected || held {
		return nil
	}
	return fmt.Errorf("%s goes from %d %% to %d %%", l.in.Declared.Revision, before, after)
}

// declaredWeight returns the weight of the declared template, in whichever workload.
func declaredWeight(l look, versions []v1.VersionStatus) (sum int32) {
	for _, v := range versions {
		if v.Version == l.in.Declared.Version && v.RevisionNumber == l.in.Declared.RevisionNumber {
			sum += v.Weight
		}
	}
	return sum
}
