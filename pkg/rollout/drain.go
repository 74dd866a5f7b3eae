package rollout

import (
	v1 "gati.dev/gati/api/v1"
)

// setVersionPhases sets for each version whether it stays or drains.
func (m *machine) setVersionPhases() {
	for _, u := range m.units {
		if !isLive(u) || m.runsInPlace(u) {
			continue
		}
		if !m.retention.isLeaving(u) {
			u.Phase, u.DrainingSince = v1.VersionActive, nil
			continue
		}
		if e := m.retention.evidence[u]; u.Phase == v1.VersionActive && e != nil {
			u.Evidence = e // Its drain begins with the measurement of this decision.
		}
		u.Phase = v1.VersionDraining
	}
}

// drainVersions removes what has drained, and persists what keeps the others.
func (m *machine) drainVersions() {
	for _, u := range m.units {
		u.Stays = nil
		if !isLive(u) || u.Phase != v1.VersionDraining || m.runsInPlace(u) {
			continue
		}
		if u.Weight == 0 && u.ExposedWeight == 0 && u.DrainingSince == nil {
			u.DrainingSince = m.stampNow()
		}
		if m.findStay(u) == nil {
			m.endVersion(u)
		}
	}
	// What keeps a version may depend on others that have just ended.
	for _, u := range m.units {
		if isLive(u) && u.Phase == v1.VersionDraining && !m.runsInPlace(u) {
			u.Stays = m.findStay(u)
			m.notes = append(m.notes, m.retention.staysSentence(u))
		}
	}
}

// endVersion takes a version out of service. Its workload is deleted, its record
// stays.
func (m *machine) endVersion(u *unit) {
	m.recordEvent(machineName, "Decommissioned", titleFor(u), "", m.retention.describeDrain(u))
	u.Phase, u.DrainingSince, u.SupersededAt, u.Replicas = v1.VersionDecommissioned, nil, nil, 0
	u.Evidence, u.TrafficSource, u.Unserved, u.Stays = nil, "", false, nil
}
