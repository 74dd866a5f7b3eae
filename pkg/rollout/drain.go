package rollout

import (
	"fmt"

	v1 "gati.dev/gati/api/v1"
)

// setVersionPhases says of each version whether it stays or drains.
func (m *machine) setVersionPhases() {
	for _, u := range m.units {
		if !isLive(u) || m.ro.Mode == v1.RolloutInPlace && u.Workload == v1.WorkloadMain {
			continue
		}
		if m.isLeaving(u) {
			u.Phase = v1.VersionDraining
		} else {
			u.Phase, u.DrainingSince = v1.VersionActive, nil
		}
	}
}

// isLeaving tells that a version is to go, once it may.
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

// drainVersions ends what has drained, and says what keeps the others.
func (m *machine) drainVersions() {
	for _, u := range m.units {
		if !isLive(u) || u.Phase != v1.VersionDraining || m.ro.Mode == v1.RolloutInPlace && u.Workload == v1.WorkloadMain {
			continue
		}
		if u.Weight == 0 && u.ExposedWeight == 0 && u.DrainingSince == nil {
			u.DrainingSince = m.stampNow()
		}
		if why := m.whyNotGone(u); why != "" {
			m.notes = append(m.notes, fmt.Sprintf("%s stays: %s.", titleFor(u), why))
			continue
		}
		m.endVersion(u)
	}
}

// endVersion takes a version out of service. Its workload is deleted, its record stays.
func (m *machine) endVersion(u *unit) {
	m.recordEvent(machineName, "Decommissioned", titleFor(u), "", m.describeDrain(u))
	u.Phase, u.DrainingSince, u.SupersededAt, u.Replicas = v1.VersionDecommissioned, nil, nil, 0
	u.Evidence, u.Unserved = nil, false
}

// whyNotGone says why a version is still there; empty when it may go.
func (m *machine) whyNotGone(u *unit) string {
	if why := m.never(u); why != "" {
		return why
	}
	if u.Phase != v1.VersionDraining {
		return "it is in use"
	}
	return m.notDrained(u)
}

// notDrained says what the traffic shows; empty when there is none.
func (m *machine) notDrained(u *unit) string {
	w, seen := m.observedWorkload(u)
	if !seen {
		m.lookAgainIn(retryInterval)
		return "its workload was not seen"
	}
	if !m.in.Policy.Gateway {
		if w.Wanted > 0 {
			m.lookAgainIn(retryInterval)
			return "its pods are going"
		}
		return "" // It has no pods, so nothing reaches it.
	}
	if m.hasNeverServed(u) {
		return ""
	}
	return m.stillCalled(u)
}

// hasNeverServed tells that no pod of a unit was ever seen ready, nor is now: there is
// no caller who could lose it, and no traffic to wait for the end of.
func (m *machine) hasNeverServed(u *unit) bool {
	w, seen := m.observedWorkload(u)
	return u.Unserved && seen && w.Ready == 0
}

// stillCalled says what the evidence has against the end of a version.
func (m *machine) stillCalled(u *unit) string {
	p, e := m.in.Policy, m.evidenceFor(u)
	what, why := m.classifyTraffic(u, p.SampleEvery())
	switch what {
	case zero:
		since := later(u.DrainingSince, e.ZeroSince.Time)
		if zeroFor(e, u.DrainingSince) >= p.DrainWindow {
			return ""
		}
		m.lookAgainIn(p.SampleEvery())
		return fmt.Sprintf("no request was measured since %s, it goes when that has been so for %s", m.formatTime(since.Time), formatDuration(p.DrainWindow))
	case busy:
		m.lookAgainIn(p.SampleEvery())
		return "it is still called"
	case unknown:
		m.lookAgainIn(p.SampleEvery())
		m.unmeasured = append(m.unmeasured, fmt.Sprintf("%s: %s.", titleFor(u), why))
		return "its traffic cannot be measured now (" + why + "), and missing data is not zero"
	}
	since := u.DrainingSince
	if e != nil && e.LastRequest != nil {
		since = later(since, e.LastRequest.Time)
	}
	if left := m.timeLeft(since, p.DrainDeadline); left > 0 {
		return fmt.Sprintf("nothing measures its traffic, so it goes at %s", m.timeAhead(left))
	}
	return ""
}

func (m *machine) describeDrain(u *unit) string {
	what, _ := m.classifyTraffic(u, m.in.Policy.SampleEvery())
	switch {
	case !m.in.Policy.Gateway:
		return "it has no pods"
	case m.hasNeverServed(u):
		return "none of its pods was ever ready"
	case what == zero:
		return fmt.Sprintf("no request was measured since %s", m.formatTime(m.evidenceFor(u).ZeroSince.Time))
	default:
		return fmt.Sprintf("drain.deadline of %s is over", formatDuration(m.in.Policy.DrainDeadline))
	}
}
