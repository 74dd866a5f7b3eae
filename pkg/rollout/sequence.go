package rollout

import (
	"maps"
	"slices"

	v1 "gati.dev/gati/api/v1"
)

// maxVersions is how many versions the status holds: the CRD takes 512, and a
// status that is refused would stop every later decision.
const maxVersions = 500

// dropOldest drops the oldest versions that are over, where there are too many.
// The newest stay, so no place in the order is given twice.
func dropOldest(versions []v1.VersionStatus) []v1.VersionStatus {
	surplus := len(versions) - maxVersions
	if surplus <= 0 {
		return versions
	}
	last := versions[len(versions)-1].Sequence // They are in order.
	return slices.DeleteFunc(versions, func(v v1.VersionStatus) bool {
		over := v.Phase == v1.VersionDecommissioned && v.Workload == "" && v.Sequence != last && surplus > 0
		if over {
			surplus--
		}
		return over
	})
}

// sequenceFor returns the place of a version in the order of first admission.
func sequenceFor(units []*unit, version string) int64 {
	var last int64
	for _, u := range units {
		if u.Version == version {
			return u.Sequence
		}
		last = max(last, u.Sequence)
	}
	return last + 1
}

func sortedKeys[T any](m map[string]T) []string { return slices.Sorted(maps.Keys(m)) }
