package rollout

import (
	"slices"

	v1 "gati.dev/gati/api/v1"
)

// forgetVersions drops decommissioned versions without a way back, except for the newest. A
// version that others need stays.
func (r retention) forgetVersions(kept map[string]bool) {
	if kept == nil || len(r.units) == 0 {
		return // Which revisions are left is not known.
	}
	var over []*unit
	for _, u := range r.units {
		if !isLive(u) && u.Workload == "" && u.Phase == v1.VersionDecommissioned {
			over = append(over, u)
		}
	}
	surplus := over[:max(0, len(over)-r.policy.HistoryLimit)]
	needed := r.neededVersions()
	r.units = slices.DeleteFunc(r.units, func(u *unit) bool {
		return slices.Contains(surplus, u) && !needed[u.Version] && !kept[u.Revision]
	})
}
