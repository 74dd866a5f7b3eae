package rollouttest

import (
	"fmt"
	"slices"
	"strings"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/request"
	"gati.dev/gati/pkg/rollout"
)

// checkHolds: a version that breaks callers is given no weight until they are covered
// or a user allows it. What serves already, and what a rollback went to, is not
// taken out by it. Reached by its header, it does not go while it is called.
func (c *Checker) checkHolds(l look) error {
	if l.in.State.Rollout == nil {
		return nil
	}
	for name, is := range l.is {
		if !c.isHeld(l, is.Version) || isServing(l, is) {
			continue
		}
		if is.Weight > l.was[name].Weight {
			return fmt.Errorf("%s is raised from %d %% to %d %% although %s", name, l.was[name].Weight, is.Weight, l.in.Records[is.Version].Held)
		}
	}
	if rec := l.in.Records[l.in.Declared.Version]; rec.Held != "" && !c.isHeld(l, l.in.Declared.Version) {
		for _, said := range append(l.d.Notes, l.d.Reason) {
			if strings.Contains(said, rec.Held) {
				return fmt.Errorf("%s is allowed, and held: %s", l.in.Declared.Version, said)
			}
		}
	}
	return c.checkHoldsStay(l)
}

// checkHoldsStay: what lives by its header alone goes only when it is cold, or when
// a user asks.
func (c *Checker) checkHoldsStay(l look) error {
	if l.in.Policy.Strategy == v1.StrategyRollingUpdate || !l.in.Policy.Gateway {
		return nil
	}
	for _, name := range l.d.Delete {
		was, fresh := l.was[name]
		asked := c.asked[was.Version] || c.hasRequest(l, request.Decommission)
		again := slices.ContainsFunc(l.d.Workloads, func(p rollout.WorkloadPlan) bool { return p.Unit.Version == was.Version })
		if !fresh || !c.isHeld(l, was.Version) || asked || again || l.in.Records[was.Version].Inactive {
			continue
		}
		if err := c.checkCold(l, name); err != nil {
			return fmt.Errorf("%s goes, which lives by its header: %w", name, err)
		}
	}
	return nil
}

// isHeld reports whether a version is held by what everybody can see: its record,
// and who has allowed it.
func (c *Checker) isHeld(l look, version string) bool {
	rec := l.in.Records[version]
	if rec.Held == "" || rec.AllowedBy != "" && version == l.in.Declared.Version {
		return false
	}
	if c.hasRequest(l, request.Override) && version == l.in.Declared.Version {
		return false
	}
	return !slices.ContainsFunc(l.in.State.Versions, func(v v1.VersionStatus) bool { return v.Version == version && v.OverriddenBy != "" })
}

// isServing tells what weight comes back to: the stable version, and what a rollback
// has pinned.
func isServing(l look, is v1.VersionStatus) bool {
	for _, ro := range []*v1.RolloutStatus{l.in.State.Rollout, l.d.Rollout} {
		if ro.Stable != nil && ro.Stable.Version == is.Version || ro.Pinned != nil && ro.Pinned.Version == is.Version {
			return true
		}
	}
	return false
}
