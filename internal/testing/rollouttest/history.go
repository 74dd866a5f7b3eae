package rollouttest

import (
	"fmt"
	"slices"

	v1 "gati.dev/gati/api/v1"
)

// checkHistory: the status has every version that is live or can be returned to, and no
// more than its limit of others.
func (c *Checker) checkHistory(l look) error {
	listed := map[string]bool{}
	for _, v := range l.d.Versions {
		listed[v.Version] = true
	}
	for _, v := range l.in.State.Versions {
		r := l.in.Records[v.Version]
		if !listed[v.Version] && (v.Workload != "" || l.in.Kept[v.Revision] || r.Needed || r.Breaking && isAfterLive(l.d.Versions, v.Sequence)) {
			return fmt.Errorf("%s is forgotten", v.Title())
		}
	}
	for _, version := range c.namedVersions(l) {
		if len(l.in.State.Versions) > 0 && !listed[version] && slices.ContainsFunc(l.in.State.Versions, func(v v1.VersionStatus) bool { return v.Version == version }) {
			return fmt.Errorf("%s is forgotten, and the rollout names it", version)
		}
	}
	return c.checkBound(l)
}

// checkBound holds the number of versions that are over and that nothing needs.
func (c *Checker) checkBound(l look) error {
	if l.in.Kept == nil {
		return nil // Any of them may be returned to.
	}
	named, last := c.namedVersions(l), l.d.Versions[len(l.d.Versions)-1].Version
	over, isOnTheWay := 0, false
	for _, v := range l.d.Versions {
		r := l.in.Records[v.Version]
		// Callers of the contract are served in hops through every later version.
		contract := l.d.Rollout.Contract
		isOnTheWay = isOnTheWay || contract != nil && v.Version == contract.Version
		needed := isOnTheWay || r.Needed || r.Breaking || l.in.Kept[v.Revision] || slices.Contains(named, v.Version) || v.Version == last
		if v.Phase == v1.VersionDecommissioned && v.Workload == "" && !needed {
			over++
		}
	}
	if over > l.in.Policy.HistoryLimit {
		return fmt.Errorf("%d versions that nothing needs, the limit is %d", over, l.in.Policy.HistoryLimit)
	}
	return nil
}

// namedVersions returns the versions that the decided rollout names.
func (c *Checker) namedVersions(l look) []string {
	ro, out := l.d.Rollout, []string{l.in.Declared.Version}
	for _, ref := range []*v1.UnitRef{ro.Stable, ro.Target, ro.Previous} {
		if ref != nil {
			out = append(out, ref.Version)
		}
	}
	if ro.Pinned != nil {
		out = append(out, ro.Pinned.Version)
	}
	for _, r := range ro.Rejected {
		out = append(out, r.Version)
	}
	return out
}

func isAfterLive(versions []v1.VersionStatus, sequence int64) bool {
	return slices.ContainsFunc(versions, func(v v1.VersionStatus) bool {
		return v.Sequence < sequence && v.Phase != v1.VersionDecommissioned && v.Workload != ""
	})
}
