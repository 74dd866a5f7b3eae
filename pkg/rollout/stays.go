package rollout

import (
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "gati.dev/gati/api/v1"
)

// keeper returns why a unit stays whatever its traffic; nil where it has nothing to
// say.
type keeper func(*machine, *unit) *v1.StaysStatus

// keepers are asked in this order. The first without a time is told; else the one
// whose time is over last, since nothing happens before.
var keepers = []keeper{keepDeclared, keepWeighted, keepRecorded, keepTagged, keepMinActive, keepWarm, keepPaused, keepForRollback, keepYoung}

// requestKeepers are those that hold against a request to decommission as well: its
// age does not matter then, nor that it would make a rollback quick.
var requestKeepers = []keeper{keepDeclared, keepWeighted, keepRecorded, keepTagged, keepMinActive}

func stays(reason v1.StaysReason, format string, args ...any) *v1.StaysStatus {
	return &v1.StaysStatus{Reason: reason, Message: fmt.Sprintf(format, args...)}
}

// findStay returns why a version that drains is still there; nil where it may go.
func (m *machine) findStay(u *unit) *v1.StaysStatus {
	kept := m.askKeepers(u, keepers)
	if kept != nil && kept.NotBefore == nil {
		return kept
	}
	drains, every := m.checkDrain(u)
	switch {
	case drains == nil || kept != nil && (drains.NotBefore == nil || drains.NotBefore.Before(kept.NotBefore)):
		drains = kept
	case every > 0:
		m.lookAgainIn(every)
	}
	if drains == nil {
		return nil
	}
	if drains.NotBefore != nil && drains.NotBefore.After(m.in.Now) {
		m.lookAgainIn(drains.NotBefore.Sub(m.in.Now))
	}
	if drains.Reason == v1.StaysTrafficUnknown {
		_, why := m.classifyTraffic(u, m.in.Policy.SampleEvery())
		m.unmeasured = append(m.unmeasured, fmt.Sprintf("%s: %s.", titleFor(u), why))
	}
	return drains
}

func (m *machine) askKeepers(u *unit, keepers []keeper) *v1.StaysStatus {
	var last *v1.StaysStatus
	for _, keep := range keepers {
		switch s := keep(m, u); {
		case s == nil:
		case s.NotBefore == nil:
			return s
		case last == nil || last.NotBefore.Before(s.NotBefore):
			last = s
		}
	}
	return last
}

// keepDeclared holds for the declared version. A second workload of it may go.
func keepDeclared(m *machine, u *unit) *v1.StaysStatus {
	if m.isDeclared(u) && m.findTemplate(u.Version, u.RevisionNumber) == u {
		return stays(v1.StaysDeclared, "the spec declares it")
	}
	return nil
}

func keepWeighted(m *machine, u *unit) *v1.StaysStatus {
	switch {
	case u.Weight > 0:
		return stays(v1.StaysWeight, "it has %d %% of the traffic", u.Weight)
	case u.ExposedWeight > 0 && m.in.Policy.Gateway:
		return stays(v1.StaysGatewayLag, "the gateway has not accepted its weight 0 yet; up to %d %% may reach it", u.ExposedWeight)
	case u.ExposedWeight > 0:
		return stays(v1.StaysPodsLeft, "its pods still get traffic")
	}
	return nil
}

func keepRecorded(m *machine, u *unit) *v1.StaysStatus {
	if m.recordFor(u).Keep {
		return stays(v1.StaysKeep, "its record says keep")
	}
	return nil
}

func keepTagged(m *machine, u *unit) *v1.StaysStatus {
	for _, t := range m.recordFor(u).Tags {
		if slices.Contains(m.in.Policy.ProtectedTags, t) && !m.isReplaced(u) {
			return stays(v1.StaysProtectedTag, "its tag %s is protected", t)
		}
	}
	return nil
}

func keepMinActive(m *machine, u *unit) *v1.StaysStatus {
	others := map[string]bool{}
	for _, o := range m.units {
		if o != u && isLive(o) && !m.isBeingReplaced(o) {
			others[o.Version] = true
		}
	}
	if len(others) < m.in.Policy.MinActive {
		return stays(v1.StaysMinActive, "fewer than %d versions would be left (minActive)", m.in.Policy.MinActive)
	}
	return nil
}

func keepWarm(m *machine, u *unit) *v1.StaysStatus {
	if m.isKeptWarm(u) {
		return stays(v1.StaysWarmReplicas, "it keeps %s for a rollback (warmReplicas)", pods(m.in.Policy.Warm, ""))
	}
	return nil
}

func keepPaused(m *machine, _ *unit) *v1.StaysStatus {
	if m.ro.Frozen != nil {
		return stays(v1.StaysPaused, "paused by %s", m.ro.Frozen.By)
	}
	return nil
}

func keepForRollback(m *machine, u *unit) *v1.StaysStatus {
	if !m.isWarm(u) {
		return nil
	}
	window := m.in.Policy.RollbackWindow
	s := stays(v1.StaysRollbackWindow, "a rollback to it is immediate during rollbackWindow (%s)", formatDuration(window))
	s.NotBefore = m.deadlineAfter(u.SupersededAt, window)
	return s
}

func keepYoung(m *machine, u *unit) *v1.StaysStatus {
	age := m.in.Policy.MinAge
	if u.DecommissionedBy != "" || u.AdmittedAt == nil || m.timeLeft(u.AdmittedAt, age) == 0 {
		return nil
	}
	s := stays(v1.StaysMinAge, "it is younger than minAge (%s)", formatDuration(age))
	s.NotBefore = m.deadlineAfter(u.AdmittedAt, age)
	return s
}

// refuseDecommission returns why a version cannot be taken out of service on request;
// empty when it can.
func (m *machine) refuseDecommission(u *unit) string {
	switch {
	case m.isUnit(u, m.ro.Stable):
		return "it is the stable version"
	case m.isUnit(u, m.ro.Target):
		return "it is being rolled out"
	}
	if s := m.askKeepers(u, requestKeepers); s != nil {
		return s.Message
	}
	if u.Phase == v1.VersionDecommissioned {
		return "it is already decommissioned"
	}
	return ""
}

// checkDrain returns what speaks for traffic of a unit; nil where there is none any
// more. every is how soon that may be another.
func (m *machine) checkDrain(u *unit) (s *v1.StaysStatus, every time.Duration) {
	w, seen := m.observedWorkload(u)
	switch {
	case !seen:
		return stays(v1.StaysNotObserved, "its workload was not read yet"), retryInterval
	case !m.in.Policy.Gateway && w.Wanted > 0:
		return stays(v1.StaysPodsLeft, "its pods are being removed"), retryInterval
	case !m.in.Policy.Gateway, m.hasNeverServed(u):
		return nil, 0 // Nothing reaches it, or ever did.
	}
	s = m.checkEvidence(u)
	if s == nil || s.Reason == v1.StaysDrainDeadline {
		return s, 0
	}
	return s, m.in.Policy.SampleEvery()
}

// describeGap returns why no measurement can show that a version has no traffic.
func (m *machine) describeGap(u *unit) string {
	if m.in.Workloads[u.Workload].Traffic.Partial {
		return "only some of the paths to it have traffic metrics"
	}
	return "no traffic metrics"
}

// checkEvidence returns what the measured traffic has against the end of a version.
func (m *machine) checkEvidence(u *unit) *v1.StaysStatus {
	p, e := m.in.Policy, m.evidenceFor(u)
	what, why := m.classifyTraffic(u, p.SampleEvery())
	since := u.DrainingSince
	if since == nil {
		since = m.stampNow()
	}
	switch what {
	case zero:
		if zeroFor(e, since) >= p.DrainWindow {
			return nil
		}
		s := stays(v1.StaysDrainWindow, "no requests measured; it is removed when that has lasted for drain.window (%s)", formatDuration(p.DrainWindow))
		s.NotBefore = &metav1.Time{Time: later(since, e.ZeroSince.Time).Add(p.DrainWindow)}
		return s
	case busy:
		return stays(v1.StaysStillCalled, "it is still called")
	case unknown:
		return stays(v1.StaysTrafficUnknown, "its traffic cannot be measured (%s), and missing data is not zero", why)
	}
	if e != nil && e.LastRequest != nil {
		since = later(since, e.LastRequest.Time)
	}
	at := since.Add(p.DrainDeadline)
	if at.After(m.in.Now) {
		s := stays(v1.StaysDrainDeadline, "%s, so drain.deadline decides", m.describeGap(u))
		s.NotBefore = &metav1.Time{Time: at}
		return s
	}
	if m.isUnasked(u) {
		return stays(v1.StaysNotObserved, "its pods were not asked for metrics yet")
	}
	return nil
}
