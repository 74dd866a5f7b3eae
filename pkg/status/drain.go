package status

import (
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
	switch why := keeps(h, s, v); {
	case why != "":
		v.Leaving = "stays: " + why
	case s.DrainingSince == nil && h.Spec.Route != nil:
		v.Leaving = "drains once the gateway has accepted that it gets no traffic"
	default:
		at := goes(h, s)
		if v.GoesAt = &at; at.After(b.now) {
			v.Leaving = "goes in " + length(at.Sub(b.now))
		} else {
			v.Leaving = "goes now"
		}
	}
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
// window, not before its least age, and where nothing measures its traffic not
// before the drain's deadline.
func goes(h *v1.GatiHandler, s *v1.VersionStatus) metav1.Time {
	window, age, deadline := 10*time.Minute, time.Hour, time.Hour
	if r := h.Spec.Rollout; r != nil {
		window = r.RollbackWindow.Or(window)
	}
	if p := h.Spec.Versions; p != nil {
		age = p.MinAge.Or(age)
		if p.Drain != nil {
			deadline = p.Drain.Deadline.Or(deadline)
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
		later(s.DrainingSince, deadline)
		if s.DecommissionedBy == "" {
			later(s.SupersededAt, window)
		}
	}
	return at
}
