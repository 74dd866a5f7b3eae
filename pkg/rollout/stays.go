package rollout

import (
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "gati.dev/gati/api/v1"
)

// retention decides how long a version stays, and which evidence decides that.
type retention struct {
	contracts
	// evidence has each unit's traffic, including the measurement of this decision.
	evidence map[*unit]*v1.EvidenceStatus
}

// keeper returns why a unit stays whatever its traffic; nil where it has nothing to
// say.
type keeper func(retention, *unit) *v1.StaysStatus

// keepers are asked in this order. The first without a time is reported; else the one whose
// time ends last, since the version stays until then.
var keepers = []keeper{keepDeclared, keepWeighted, keepRecorded, keepTagged, keepMinActive, keepWarm, keepPaused, keepForRollback, keepYoung}

// requestKeepers are those that hold against a request to decommission as well: its
// age does not matter then, nor that it would make a rollback quick.
var requestKeepers = []keeper{keepDeclared, keepWeighted, keepRecorded, keepTagged, keepMinActive}

func newStays(reason v1.StaysReason, format string, args ...any) *v1.StaysStatus {
	return &v1.StaysStatus{Reason: reason, Message: fmt.Sprintf(format, args...)}
}

// findStay returns why a version that drains is still there; nil where it may go.
func (r retention) findStay(u *unit) *v1.StaysStatus {
	kept := r.askKeepers(u, keepers)
	if kept != nil && kept.NotBefore == nil {
		return kept
	}
	drains, every := r.checkDrain(u)
	switch {
	case drains == nil || kept != nil && (drains.NotBefore == nil || drains.NotBefore.Before(kept.NotBefore)):
		drains = kept
	case every > 0:
		r.lookAgainIn(every)
	}
	if drains != nil && drains.NotBefore != nil && drains.NotBefore.After(r.now) {
		r.lookAgainIn(drains.NotBefore.Sub(r.now))
	}
	return drains
}

// keepDeclared holds for the declared version. A second workload of it may go.
func keepDeclared(r retention, u *unit) *v1.StaysStatus {
	if r.isDeclared(u) && r.findTemplate(u.Version, u.RevisionNumber) == u {
		return newStays(v1.StaysDeclared, "the spec declares it")
	}
	return nil
}

func keepWeighted(r retention, u *unit) *v1.StaysStatus {
	switch {
	case u.Weight > 0:
		return newStays(v1.StaysWeight, "it has %d %% of the traffic", u.Weight)
	case u.ExposedWeight > 0 && r.policy.Gateway:
		return newStays(v1.StaysGatewayLag, "the gateway has not accepted its weight 0 yet; up to %d %% may reach it", u.ExposedWeight)
	case u.ExposedWeight > 0:
		return newStays(v1.StaysPodsLeft, "its pods still get traffic")
	}
	return nil
}

func keepRecorded(r retention, u *unit) *v1.StaysStatus {
	if r.recordFor(u).Keep {
		return newStays(v1.StaysKeep, "its record says keep")
	}
	return nil
}

func keepTagged(r retention, u *unit) *v1.StaysStatus {
	for _, t := range r.recordFor(u).Tags {
		if slices.Contains(r.policy.ProtectedTags, t) && !r.isReplaced(u) {
			return newStays(v1.StaysProtectedTag, "its tag %s is protected", t)
		}
	}
	return nil
}

func keepMinActive(r retention, u *unit) *v1.StaysStatus {
	others := map[string]bool{}
	for _, o := range r.units {
		if o != u && isLive(o) && !r.isBeingReplaced(o) {
			others[o.Version] = true
		}
	}
	if len(others) < r.policy.MinActive {
		return newStays(v1.StaysMinActive, "fewer than %d versions would be left (minActive)", r.policy.MinActive)
	}
	return nil
}

func keepWarm(r retention, u *unit) *v1.StaysStatus {
	if r.isKeptWarm(u) {
		return newStays(v1.StaysWarmReplicas, "it keeps %s for a rollback (warmReplicas)", countPods(r.policy.Warm, ""))
	}
	return nil
}

func keepPaused(r retention, _ *unit) *v1.StaysStatus {
	if r.ro.Frozen != nil {
		return newStays(v1.StaysPaused, "paused by %s", r.ro.Frozen.By)
	}
	return nil
}

func keepForRollback(r retention, u *unit) *v1.StaysStatus {
	if !r.isWarm(u) {
		return nil
	}
	window := r.policy.RollbackWindow
	s := newStays(v1.StaysRollbackWindow, "a rollback to it is immediate during rollbackWindow (%s)", formatDuration(window))
	s.NotBefore = r.deadlineAfter(u.SupersededAt, window)
	return s
}

func keepYoung(r retention, u *unit) *v1.StaysStatus {
	age := r.policy.MinAge
	if u.DecommissionedBy != "" || u.AdmittedAt == nil || r.timeLeft(u.AdmittedAt, age) == 0 {
		return nil
	}
	s := newStays(v1.StaysMinAge, "it is younger than minAge (%s)", formatDuration(age))
	s.NotBefore = r.deadlineAfter(u.AdmittedAt, age)
	return s
}

func (r retention) askKeepers(u *unit, keepers []keeper) *v1.StaysStatus {
	var last *v1.StaysStatus
	for _, keep := range keepers {
		switch s := keep(r, u); {
		case s == nil:
		case s.NotBefore == nil:
			return s
		case last == nil || last.NotBefore.Before(s.NotBefore):
			last = s
		}
	}
	return last
}

// refuseDecommission returns why a version cannot be taken out of service on request;
// empty when it can.
func (r retention) refuseDecommission(u *unit) string {
	switch {
	case r.isUnit(u, r.ro.Stable):
		return "it is the stable version"
	case r.isUnit(u, r.ro.Target):
		return "it is being rolled out"
	}
	if s := r.askKeepers(u, requestKeepers); s != nil {
		return s.Message
	}
	if u.Phase == v1.VersionDecommissioned {
		return "it is already decommissioned"
	}
	return ""
}

// checkDrain returns what speaks for traffic of a unit; nil where there is none any
// more. every is how soon that may be another.
func (r retention) checkDrain(u *unit) (s *v1.StaysStatus, every time.Duration) {
	w, seen := r.observedWorkload(u)
	switch {
	case !seen:
		return newStays(v1.StaysNotObserved, "its workload was not read yet"), retryInterval
	case !r.policy.Gateway && w.Wanted > 0:
		return newStays(v1.StaysPodsLeft, "its pods are being removed"), retryInterval
	case !r.policy.Gateway, r.hasNeverServed(u):
		return nil, 0 // Nothing reaches it, or ever did.
	}
	s = r.checkEvidence(u)
	if s == nil || s.Reason == v1.StaysDrainDeadline {
		return s, 0
	}
	return s, r.policy.SampleEvery()
}

// checkEvidence returns why the measured traffic keeps a version.
func (r retention) checkEvidence(u *unit) *v1.StaysStatus {
	p, e := r.policy, r.evidenceFor(u)
	what, why := r.classifyTraffic(u, p.SampleEvery())
	since := u.DrainingSince
	if since == nil {
		since = r.stampNow()
	}
	switch what {
	case zero:
		if zeroFor(e, since) >= p.DrainWindow {
			return nil
		}
		s := newStays(v1.StaysDrainWindow, "no requests measured; it is removed when that has lasted for drain.window (%s)", formatDuration(p.DrainWindow))
		s.NotBefore = &metav1.Time{Time: laterOf(since, e.ZeroSince.Time).Add(p.DrainWindow)}
		return s
	case busy:
		return newStays(v1.StaysStillCalled, "it is still called")
	case unknown:
		return newStays(v1.StaysTrafficUnknown, "its traffic cannot be measured (%s), and missing data is not zero", why)
	}
	if e != nil && e.LastRequest != nil {
		since = laterOf(since, e.LastRequest.Time)
	}
	at := since.Add(p.DrainDeadline)
	if at.After(r.now) {
		s := newStays(v1.StaysDrainDeadline, "%s, so drain.deadline decides", r.describeGap(u))
		s.NotBefore = &metav1.Time{Time: at}
		return s
	}
	if r.isUnasked(u) {
		return newStays(v1.StaysNotObserved, "its pods were not asked for metrics yet")
	}
	return nil
}

// describeGap returns why no measurement can show that a version has no traffic.
func (r retention) describeGap(u *unit) string {
	if r.observed[u.Workload].Traffic.Partial {
		return "only some of the paths to it have traffic metrics"
	}
	return "no traffic metrics"
}

// isWarm reports whether a unit keeps its pods, so that a rollback is immediate.
func (r retention) isWarm(u *unit) bool {
	return r.policy.Gateway && u.SupersededAt != nil && u.DecommissionedBy == "" && r.timeLeft(u.SupersededAt, r.policy.RollbackWindow) > 0
}

// isKeptWarm reports whether a unit keeps pods although it drains, because it was stable
// before.
func (r retention) isKeptWarm(u *unit) bool {
	return r.policy.Warm > 0 && r.policy.Gateway && u.DecommissionedBy == "" && !r.recordFor(u).Inactive &&
		r.isUnit(u, r.ro.Previous) && !r.isUnit(u, r.ro.Stable)
}

// hasNeverServed reports whether no pod of a unit was ever seen ready, nor is now:
// there is no caller who could lose it, and no traffic to wait for the end of.
func (r retention) hasNeverServed(u *unit) bool {
	w, seen := r.observedWorkload(u)
	return u.Unserved && seen && w.Ready == 0
}

// describeDrain is why a version counts as drained.
func (r retention) describeDrain(u *unit) string {
	what, _ := r.classifyTraffic(u, r.policy.SampleEvery())
	switch {
	case !r.policy.Gateway:
		return "it has no pods"
	case r.hasNeverServed(u):
		return "none of its pods was ever ready"
	case what == zero:
		return fmt.Sprintf("no requests since %s", r.formatTime(r.evidenceFor(u).ZeroSince.Time))
	default:
		return fmt.Sprintf("drain.deadline (%s) has passed", formatDuration(r.policy.DrainDeadline))
	}
}

// isLeaving reports whether a version is to be removed, once it may.
func (r retention) isLeaving(u *unit) bool {
	switch {
	case r.isUnit(u, r.ro.Stable), r.isUnit(u, r.ro.Target):
		return false
	case r.recordFor(u).Inactive, u.DecommissionedBy != "":
		return true
	case r.findTemplate(u.Version, u.RevisionNumber) != u:
		return true // Another workload runs the same template.
	case r.isManual():
		return r.isReplaced(u) || u.Weight == 0 && r.isCold(u)
	case r.isDeclared(u):
		return false
	case r.findBar(u) != "":
		return r.isCold(u) // It lives by its header alone.
	default:
		return true
	}
}

// staysSentence renders why a version stays with its time. A stored message has
// none: the view counts down.
func (r retention) staysSentence(u *unit) string {
	if u.Stays.NotBefore == nil {
		return fmt.Sprintf("%s stays: %s.", titleFor(u), u.Stays.Message)
	}
	return fmt.Sprintf("%s stays until %s: %s.", titleFor(u), r.formatTime(u.Stays.NotBefore.Time), u.Stays.Message)
}

// describeCallers warns of clients that have called a version lately, for the end of a
// sentence; empty where none has.
func (r retention) describeCallers(u *unit) string {
	e, cold := r.evidenceFor(u), r.policy.ColdAfter
	if e == nil || e.LastRequest == nil || r.now.Sub(e.LastRequest.Time) >= cold {
		return ""
	}
	then := "clients that still name it are then refused with 410"
	if s := r.findUnit(r.ro.Stable); s != nil && r.servesCallers(s.Version, u.Version) {
		then = "clients that still name it are then served by " + titleFor(s)
	}
	return fmt.Sprintf("; it was last called at %s, within versions.coldAfter (%s): %s", r.formatTime(e.LastRequest.Time), formatDuration(cold), then)
}
