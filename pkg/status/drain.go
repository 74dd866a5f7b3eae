package status

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "gati.dev/gati/api/v1"
)

// drain fills in what becomes of a version that is on its way out: what keeps it,
// or when it goes.
func (b *builder) drain(h *v1.GatiHandler, s *v1.VersionStatus, v *Version) {
	if s.Phase != v1.VersionDraining {
		return
	}
	v.DrainingSince = s.DrainingSince
	switch why := cmp.Or(keeps(h, s, v), b.called(s)); {
	case why != "":
		v.Leaving = "stays: " + why
	case s.DrainingSince == nil && h.Spec.Route != nil:
		v.Leaving = "drains once the gateway has accepted that it gets no traffic"
	default:
		at := goes(h, s)
		v.GoesAt = &at
		v.Leaving = b.quiet(s) + "goes now"
		if at.After(b.now) {
			v.Leaving = b.quiet(s) + "goes in " + length(at.Sub(b.now))
		}
	}
}

// called says what was measured of the traffic of a version that speaks against its
// end, empty where nothing does, or nothing measures.
func (b *builder) called(s *v1.VersionStatus) string {
	switch e := s.Evidence; {
	case e == nil, s.Unserved:
		return ""
	case e.State == v1.EvidenceBusy && e.LastRequest != nil:
		return fmt.Sprintf("it is still called, last %s ago", length(b.now.Sub(e.LastRequest.Time)))
	case e.State == v1.EvidenceBusy:
		return "it is still called"
	case e.State == v1.EvidenceUnknown:
		return "its traffic cannot be measured (" + oneLine(e.Message) + "), and missing data is not zero"
	default:
		return ""
	}
}

// quiet says since when a version was measured to have no requests.
func (b *builder) quiet(s *v1.VersionStatus) string {
	if s.Evidence == nil || s.Evidence.ZeroSince == nil {
		return ""
	}
	return fmt.Sprintf("no request for %s, ", length(b.now.Sub(s.Evidence.ZeroSince.Time)))
}

// keeps says what keeps a version whatever its traffic, empty when nothing does.
func keeps(h *v1.GatiHandler, s *v1.VersionStatus, v *Version) string {
	ro := h.Status.Rollout
	switch {
	case ro != nil && ro.Frozen != nil:
		return "paused by " + ro.Frozen.By
	case s.Weight > 0:
		return fmt.Sprintf("it has %s of the traffic", percent(s.Weight))
	case v.Record == nil:
		return ""
	case v.Record.Keep:
		return "its record says keep"
	}
	for _, tag := range v.Record.Tags {
		if p := h.Spec.Versions; p != nil && slices.Contains(p.ProtectedTags, tag) {
			return "its tag " + string(tag) + " is protected"
		}
	}
	return ""
}

// goes returns when a version goes at the earliest: not within the rollback
// window, not before its least age, not before it was measured to have no requests
// for the drain's window, and where nothing measures not before its deadline. One
// that has served nobody has no traffic to drain.
func goes(h *v1.GatiHandler, s *v1.VersionStatus) metav1.Time {
	window, age, drained, deadline := 10*time.Minute, time.Hour, 5*time.Minute, time.Hour
	if r := h.Spec.Rollout; r != nil {
		window = r.RollbackWindow.Or(window)
	}
	if p := h.Spec.Versions; p != nil {
		age = p.MinAge.Or(age)
		if p.Drain != nil {
			drained, deadline = p.Drain.Window.Or(drained), p.Drain.Deadline.Or(deadline)
		}
	}
	var at metav1.Time
	later := func(since *metav1.Time, d time.Duration) {
		if since != nil && since.Add(d).After(at.Time) {
			at = metav1.NewTime(since.Add(d))
		}
	}
	if s.DecommissionedBy == "" {
		later(s.AdmittedAt, age)
	}
	if h.Spec.Route != nil {
		switch e := s.Evidence; {
		case s.Unserved:
		case e != nil && e.ZeroSince != nil:
			later(s.DrainingSince, drained)
			later(e.ZeroSince, drained)
		default:
			later(s.DrainingSince, deadline)
		}
		if s.DecommissionedBy == "" {
			later(s.SupersededAt, window)
		}
	}
	return at
}
