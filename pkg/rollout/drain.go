package rollout

import (
	"fmt"

	v1 "gati.dev/gati/api/v1"
)

// setVersionPhases sets for each version whether it stays or drains.
func (m *machine) setVersionPhases() {
	for _, u := range m.units {
		if !isLive(u) || m.runsInPlace(u) {
			continue
		}
		if !m.isLeaving(u) {
			u.Phase, u.DrainingSince = v1.VersionActive, nil
			continue
		}
		if e := m.evidence[u]; u.Phase == v1.VersionActive && e != nil {
			u.Evidence = e // Its drain begins with the measurement of this decision.
		}
		u.Phase = v1.VersionDraining
	}
}

// runsInPlace reports whether a unit runs, or ran, in the one workload of an in-place
// rollout: the Deployment replaces its pods.
func (m *machine) runsInPlace(u *unit) bool {
	return m.ro.Mode == v1.RolloutInPlace && u.Workload == v1.WorkloadMain
}

// isLeaving reports whether a version is to be removed, once it may.
func (m *machine) isLeaving(u *unit) bool {
	switch {
	case m.isUnit(u, m.ro.Stable), m.isUnit(u, m.ro.Target):
		return false
	case m.recordFor(u).Inactive, u.DecommissionedBy != "":
		return true
	case m.findTemplate(u.Version, u.RevisionNumber) != u:
		return true // Another workload runs the same template.
	case m.isManual():
		return m.isReplaced(u) || u.Weight == 0 && m.isCold(u)
	case m.isDeclared(u):
		return false
	case m.findBar(u) != "":
		return m.isCold(u) // It lives by its header alone.
	default:
		return true
	}
}

func (m *machine) isDeclared(u *unit) bool {
	return same(u, m.in.Declared.Version, m.in.Declared.RevisionNumber)
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
			m.notes = append(m.notes, m.staysSentence(u))
		}
	}
}

// staysSentence renders why a version stays with its time. A stored message has
// none: the view counts down.
func (m *machine) staysSentence(u *unit) string {
	if u.Stays.NotBefore == nil {
		return fmt.Sprintf("%s stays: %s.", titleFor(u), u.Stays.Message)
	}
	return fmt.Sprintf("%s stays until %s: %s.", titleFor(u), m.formatTime(u.Stays.NotBefore.Time), u.Stays.Message)
}

// endVersion takes a version out of service. Its workload is deleted, its record
// stays.
func (m *machine) endVersion(u *unit) {
	m.recordEvent(machineName, "Decommissioned", titleFor(u), "", m.describeDrain(u))
	u.Phase, u.DrainingSince, u.SupersededAt, u.Replicas = v1.VersionDecommissioned, nil, nil, 0
	u.Evidence, u.TrafficSource, u.Unserved, u.Stays = nil, "", false, nil
}

// hasNeverServed reports whether no pod of a unit was ever seen ready, nor is now:
// there is no caller who could lose it, and no traffic to wait for the end of.
func (m *machine) hasNeverServed(u *unit) bool {
	w, seen := m.observedWorkload(u)
	return u.Unserved && seen && w.Ready == 0
}

// describeDrain is why a version counts as drained.
func (m *machine) describeDrain(u *unit) string {
	what, _ := m.classifyTraffic(u, m.in.Policy.SampleEvery())
	switch {
	case !m.in.Policy.Gateway:
		return "it has no pods"
	case m.hasNeverServed(u):
		return "none of its pods was ever ready"
	case what == zero:
		return fmt.Sprintf("no requests since %s", m.formatTime(m.evidenceFor(u).ZeroSince.Time))
	default:
		return fmt.Sprintf("drain.deadline (%s) has passed", formatDuration(m.in.Policy.DrainDeadline))
	}
}
