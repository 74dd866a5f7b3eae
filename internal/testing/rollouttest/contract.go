package rollouttest

import (
	"fmt"
	"slices"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/rollout"
)

// BreakingRecords are those of five versions in three runs. Each of a later run serves the
// callers of the runs before, except v5, which serves those of v3 and v4 alone.
func BreakingRecords() map[string]rollout.Record {
	return map[string]rollout.Record{
		"v1": {Run: "v1"}, "v2": {Run: "v1"},
		"v3": {Run: "v3", Serves: []string{"v1", "v2"}},
		"v4": {Run: "v3", Serves: []string{"v1", "v2"}},
		"v5": {Run: "v5", Serves: []string{"v3", "v4"}},
	}
}

// checkContract: a version that does not serve the callers of the contract is given no
// weight, and the contract moves only where every version with weight serves its callers.
// Without either there would be no way back.
func (c *Checker) checkContract(l look) error {
	if l.in.State.Rollout == nil || l.d.Rollout.Contract == nil {
		return nil
	}
	is, moved := l.d.Rollout.Contract.Version, l.in.State.Rollout.Contract != nil && l.in.State.Rollout.Contract.Version != l.d.Rollout.Contract.Version
	for _, v := range l.d.Versions {
		if v.Weight == 0 || c.servesCallers(l, v.Version, is) {
			continue
		}
		before := int32(0)
		for _, was := range l.in.State.Versions {
			if was.Version == v.Version {
				before += was.Weight
			}
		}
		if moved || before == 0 && !isServing(l, v) {
			return fmt.Errorf("%s has %d %% and does not serve callers of the contract %s (moved: %t)", v.Version, v.Weight, is, moved)
		}
	}
	return nil
}

// checkKeptConnections: the contract leaves a version without traffic only once no pod of the
// package may still have clients there that know another file.
func (c *Checker) checkKeptConnections(l look) error {
	before, after := announcedIn(l.in.State), announcedIn(l.d.State)
	if before == "" || after == before || l.in.Transformers.Declared {
		return nil
	}
	for _, v := range l.d.Versions {
		if v.Weight > 0 || v.Phase == v1.VersionDecommissioned || v.OverriddenBy != "" || v.TrafficSource == v1.TrafficSourceNone || !c.servesCallers(l, v.Version, before) || c.servesCallers(l, v.Version, after) {
			continue
		}
		for _, r := range l.in.Workloads[v.Workload].Reports {
			if r.Problem == "" && (r.Hash != l.in.Transformers.Hash || !l.in.State.LacksTraffic(v.Version)) {
				return fmt.Errorf("the contract moves from %s to %s, and pod %s of %s may keep clients", before, after, r.Pod, v.Version)
			}
		}
	}
	return nil
}

// servesCallers reports whether a version serves the callers of another one by what
// everybody can see.
func (c *Checker) servesCallers(l look, version, callers string) bool {
	a, b := l.in.Records[version], l.in.Records[callers]
	overridden := slices.ContainsFunc(l.d.Versions, func(v v1.VersionStatus) bool { return v.Version == version && v.OverriddenBy != "" })
	return version == callers || a.Run == b.Run || slices.Contains(a.Serves, callers) || overridden
}
