package rollout

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "gati.dev/gati/api/v1"
)

// SampleEvery is how often the traffic of a version that drains is measured.
func (p Policy) SampleEvery() time.Duration {
	return max(time.Second, min(30*time.Second, p.DrainWindow/10))
}

// WatchEvery is how often the traffic of a version is measured that may grow cold.
func (p Policy) WatchEvery() time.Duration {
	return max(time.Second, min(4*time.Minute, p.ColdAfter/50))
}

// maxAge is how old a measurement may be that is still about now.
func (p Policy) maxAge(every time.Duration) time.Duration { return 3*every + 15*time.Second }

// recordEvidence adds the measurements of each version's traffic. Only times are persisted,
// so that no other memory is needed.
func (r retention) recordEvidence() {
	for _, u := range r.units {
		w, seen := r.observedWorkload(u)
		if e := u.Evidence; e != nil && e.MeasuredAt != nil && r.isFromAnotherClock(e.MeasuredAt.Time) {
			// Nothing of it can be compared with now.
			back := r.evidenceAnew(*e)
			u.Evidence = &back
		}
		if seen {
			r.noteSource(u, w)
		}
		switch {
		case !r.needsEvidence(u):
			u.Evidence = nil
		case seen && !r.hasSource(u):
			u.Evidence = nil
		case seen:
			r.recordTraffic(u, w.Traffic)
		}
	}
}

// recordTraffic adds one measurement to the evidence on a version. The result counts at
// once; it is persisted when that is worth a write.
func (r retention) recordTraffic(u *unit, t Traffic) {
	was := v1.EvidenceStatus{}
	if u.Evidence != nil && u.Evidence.Source == t.Source {
		was = *u.Evidence
	}
	is := was
	is.Source = t.Source
	switch {
	case t.At.IsZero():
		return // There is no news.
	case !t.Known:
		is.State, is.Message = v1.EvidenceUnknown, t.Message
	case r.isFromAnotherClock(t.At) && is.Message != backMessage:
		// It was measured before the clock was set back, like the remembered requests: it
		// is no evidence for the present.
		is = r.evidenceAnew(is)
	case r.isFromAnotherClock(t.At):
	case t.Requests > 0 || t.InFlight > 0:
		is = withRequest(is, t)
	case t.Partial:
		is.State, is.ZeroSince, is.Message = v1.EvidenceUnknown, nil, partialMessage
	case is.MeasuredAt == nil || t.At.Truncate(time.Second).After(is.MeasuredAt.Time) || is.State == v1.EvidenceUnknown:
		is = withoutRequest(is, t, u.Phase == v1.VersionDraining)
	}
	r.evidence[u] = &is
	if r.isWorthPersisting(u, was, is) {
		u.Evidence = &is
	}
}

// clockTolerance is by how much the clocks of several API servers may differ. A smaller
// difference restarts no drain: a change of leader may bring it.
const clockTolerance = 3 * time.Second

const backMessage = "the clock went back"

const partialMessage = "the metrics cover only some of the paths to its pods; set spec.route.onlyPath if the gateway is the only one"

// withRequest adds a measurement with requests, however late.
func withRequest(e v1.EvidenceStatus, t Traffic) v1.EvidenceStatus {
	e.LastRequest = laterOf(e.LastRequest, roundUp(t.At))
	if e.MeasuredAt != nil && t.At.Truncate(time.Second).Before(e.MeasuredAt.Time) {
		if e.ZeroSince != nil {
			e.ZeroSince = laterOf(e.ZeroSince, roundUp(t.At))
		}
		return e
	}
	e.State, e.ZeroSince = v1.EvidenceBusy, nil
	return withMeasurement(e, t)
}

// withoutRequest adds a measurement without requests. The time without requests continues
// where the measurements leave no gap, else it starts with this one. For a draining
// version, the last requests of removed pods must have been read, too.
func withoutRequest(e v1.EvidenceStatus, t Traffic, draining bool) v1.EvidenceStatus {
	gapless := e.ZeroSince != nil && e.MeasuredAt != nil && !t.From.After(e.MeasuredAt.Time)
	switch {
	case t.Lost && draining:
		e.ZeroSince = &metav1.Time{Time: roundUp(t.At)}
	case !gapless:
		e.ZeroSince = laterOf(e.LastRequest, roundUp(t.From))
	}
	e.State = v1.EvidenceZero
	return withMeasurement(e, t)
}

func withMeasurement(e v1.EvidenceStatus, t Traffic) v1.EvidenceStatus {
	e.MeasuredAt = laterOf(e.MeasuredAt, t.At.Truncate(time.Second))
	e.Counted, e.CountedBy, e.Message = t.Counted, t.CountedBy, ""
	return e
}

// evidence classifies a version's traffic now.
type evidence string

const (
	noSource evidence = "" // Nothing measures it.
	unknown  evidence = "unknown"
	busy     evidence = "busy"
	zero     evidence = "zero"
)

// zeroFor is how long the traffic was measured to be zero, counted from a moment at
// the earliest: the last moment that counts is that of the measurement, not now.
func zeroFor(e *v1.EvidenceStatus, from *metav1.Time) time.Duration {
	since := e.ZeroSince.Time
	if from != nil && from.After(since) {
		since = from.Time
	}
	return e.MeasuredAt.Sub(since)
}

// laterOf returns the later of two times.
func laterOf(a *metav1.Time, b time.Time) *metav1.Time {
	if a != nil && a.After(b) {
		return a
	}
	return &metav1.Time{Time: b}
}

// roundUp makes whole seconds, never earlier.
func roundUp(t time.Time) time.Time {
	whole := t.Truncate(time.Second)
	if whole.Before(t) {
		whole = whole.Add(time.Second)
	}
	return whole
}

// evidenceFor returns the evidence on a version's traffic, with all measurements so far.
func (r retention) evidenceFor(u *unit) *v1.EvidenceStatus {
	if e := r.evidence[u]; e != nil {
		return e
	}
	return u.Evidence
}

// classifyTraffic returns the current knowledge of a version's traffic, or the reason why
// there is none. every is the interval of measurements.
func (r retention) classifyTraffic(u *unit, every time.Duration) (evidence, string) {
	t, e := r.observed[u.Workload].Traffic, r.evidenceFor(u)
	switch {
	case !r.hasSource(u):
		return noSource, ""
	case e == nil:
		return unknown, "nothing was measured yet"
	case t.Partial && e.State != v1.EvidenceBusy:
		return noSource, ""
	case e.State == v1.EvidenceUnknown:
		return unknown, e.Message
	case e.MeasuredAt == nil || r.now.Sub(e.MeasuredAt.Time) > r.policy.maxAge(every):
		return unknown, "the last measurement is too old"
	case e.State == v1.EvidenceBusy || e.ZeroSince == nil:
		return busy, ""
	}
	return zero, ""
}

// hasSource reports whether anything measures a unit's traffic.
func (r retention) hasSource(u *unit) bool {
	t := r.observed[u.Workload].Traffic
	return t.Source != "" && (!t.Unproven || isProven(u, t.Source))
}

// isUnasked reports whether the pods of a unit may have metrics, and were not asked yet.
func (r retention) isUnasked(u *unit) bool {
	t := r.observed[u.Workload].Traffic
	return t.Unproven && t.At.IsZero() && u.TrafficSource == ""
}

// isCold reports whether a version had no request for versions.coldAfter, by evidence.
func (r retention) isCold(u *unit) bool {
	what, _ := r.classifyTraffic(u, r.policy.WatchEvery())
	return what == zero && zeroFor(r.evidenceFor(u), u.AdmittedAt) >= r.policy.ColdAfter
}

// needsEvidence reports whether the traffic of a version decides about it: it gets none by
// weight, so that it may go.
func (r retention) needsEvidence(u *unit) bool {
	inPlace := r.ro.Mode == v1.RolloutInPlace && u.Workload == v1.WorkloadMain
	return isLive(u) && r.policy.Gateway && !inPlace && u.Weight == 0 && !r.isUnit(u, r.ro.Stable) && !r.isUnit(u, r.ro.Target)
}

// evidenceAnew returns the evidence on a version after the clock was set back. Earlier
// requests have times in the future, which no measurement reaches: the last one counts as
// one of now, and the time without requests starts now.
func (r retention) evidenceAnew(was v1.EvidenceStatus) v1.EvidenceStatus {
	now := r.stampNow()
	is := v1.EvidenceStatus{Source: was.Source, State: v1.EvidenceUnknown, ZeroSince: now, MeasuredAt: now, Message: backMessage}
	if was.LastRequest != nil {
		is.LastRequest = now
	}
	return is
}

// seeksSource reports whether it is worth knowing if the pods of a unit have metrics: it
// may drain some day, and metrics that stop before that must not look like none.
func (r retention) seeksSource(u *unit) bool {
	t := r.observed[u.Workload].Traffic
	return isLive(u) && r.policy.Gateway && r.policy.Strategy != v1.StrategyRollingUpdate && t.Unproven && !isProven(u, t.Source)
}

// isWorthPersisting reports whether a measurement is worth a write: one that changes the
// knowledge, and every one of a version that only its traffic keeps. Others are persisted
// now and then.
func (r retention) isWorthPersisting(u *unit, was, is v1.EvidenceStatus) bool {
	switch {
	case u.Evidence == nil, u.Phase == v1.VersionDraining && r.askKeepers(u, keepers) == nil, was.State != is.State, was.Source != is.Source, was.Message != is.Message:
		return true
	case !was.ZeroSince.Equal(is.ZeroSince):
		return true
	case was.MeasuredAt == nil || is.MeasuredAt == nil:
		return was.MeasuredAt != is.MeasuredAt
	}
	return is.MeasuredAt.Sub(was.MeasuredAt.Time) >= max(time.Second, min(30*time.Minute, r.policy.ColdAfter/50))
}
