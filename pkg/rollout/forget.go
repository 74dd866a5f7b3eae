package rollout

import (
	"slices"

	v1 "gati.dev/gati/api/v1"
)

// forgetVersions drops the versions that are over and cannot be returned to, beyond the
// newest of them. A version that something rests on stays.
func (m *machine) forgetVersions() {
	if m.in.Kept == nil || len(m.units) == 0 {
		return // Which revisions are left is not known.
	}
	var over []*unit
	for _, u := range m.units {
		if !isLive(u) && u.Workload == "" && u.Phase == v1.VersionDecommissioned {
			over = append(over, u)
		}
	}
	surplus := over[:max(0, len(over)-m.in.Policy.HistoryLimit)]
	needed := m.neededVersions()
	m.units = slices.DeleteFunc(m.units, func(u *unit) bool {
		return slices.Contains(surplus, u) && !needed[u.Version] && !m.in.Kept[u.Revision]
	})
}
