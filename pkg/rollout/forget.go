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

// neededVersions returns the versions that stay in the status: the newest, so that no place
// in the order is given twice, those that the rollout names, and those that records need.
func (m *machine) neededVersions() map[string]bool {
	out := map[string]bool{m.units[len(m.units)-1].Version: true, m.in.Declared.Version: true}
	for _, ref := range []*v1.UnitRef{m.ro.Stable, m.ro.Target, m.ro.Previous} {
		if ref != nil {
			out[ref.Version] = true
		}
	}
	if m.ro.Pinned != nil {
		out[m.ro.Pinned.Version] = true
	}
	for _, r := range m.ro.Rejected {
		out[r.Version] = true
	}
	isAfterLive, isOnTheWay := false, false
	for _, u := range m.units { // In the order of first admission.
		r := m.recordFor(u)
		isOnTheWay = isOnTheWay || u.Version == m.contractVersion() // Its callers are served in hops from here.
		out[u.Version] = out[u.Version] || r.Needed || isOnTheWay || r.Breaking && isAfterLive
		isAfterLive = isAfterLive || isLive(u)
	}
	return out
}
