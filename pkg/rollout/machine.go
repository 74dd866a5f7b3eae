package rollout

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "gati.dev/gati/api/v1"
)

// retryInterval is how soon to look again where something was not seen.
const retryInterval = 10 * time.Second

// unit is a template of a version and the workload that runs it.
type unit = v1.VersionStatus

// machine is one decision in the making: a copy of the state that the rules
// change, and the sentences about it.
type machine struct {
	in    Input
	units []*unit
	ro    v1.RolloutStatus
	// byRecord has the shares that Manual prepares each unit for.
	byRecord weights
	// crowd counts the versions that request a share, where a route has no room for
	// all of them.
	crowd int
	// requested is the sum of the percents that the records request; 0 where they
	// request none.
	requested int32
	// evidence has each unit's traffic, including the measurement of this decision.
	evidence map[*unit]*v1.EvidenceStatus
	// unmeasured becomes Decision.Unmeasured.
	unmeasured []string

	reason  string
	notes   []string
	stalled bool
	events  []Event
	after   time.Duration
}

func newMachine(in Input) *machine {
	m := &machine{in: in, evidence: map[*unit]*v1.EvidenceStatus{}}
	for i := range in.State.Versions {
		m.units = append(m.units, in.State.Versions[i].DeepCopy())
	}
	slices.SortStableFunc(m.units, bySequence)
	if in.State.Rollout != nil {
		m.ro = *in.State.Rollout.DeepCopy()
	}
	switch {
	case m.ro.Stable == nil:
		m.ro.Phase = "" // Whatever a lost or edited status says.
	case m.ro.Phase == "":
		m.ro.Phase = v1.RolloutStable
	}
	return m
}

// persistedVersions returns the units as they are persisted.
func (m *machine) persistedVersions() []v1.VersionStatus {
	out := make([]v1.VersionStatus, 0, len(m.units))
	for _, u := range m.units {
		out = append(out, *u)
	}
	return dropOldest(out)
}

func bySequence(a, b *unit) int { return cmp.Compare(a.Sequence, b.Sequence) }

// findUnit returns the unit that a reference names, nil when there is none.
func (m *machine) findUnit(ref *v1.UnitRef) *unit {
	if ref == nil {
		return nil
	}
	for _, u := range m.units {
		if u.Version == ref.Version && u.RevisionNumber == ref.RevisionNumber && u.Workload == ref.Workload {
			return u
		}
	}
	return nil
}

func (m *machine) isUnit(u *unit, ref *v1.UnitRef) bool { return u != nil && m.findUnit(ref) == u }

// isLive reports whether a unit has a workload that is to stay.
func isLive(u *unit) bool { return u.Phase != v1.VersionDecommissioned && u.Workload != "" }

// same reports whether a unit runs a template, in any workload.
func same(u *unit, version string, number int64) bool {
	return u.Version == version && u.RevisionNumber == number
}

// titleFor is how people are told of a unit: v2, or v2 r2 when its version has more
// than one template.
func titleFor(u *unit) string {
	if u == nil {
		return "nothing"
	}
	return u.Title()
}

// observedWorkload returns what was seen of a unit's workload.
func (m *machine) observedWorkload(u *unit) (Workload, bool) {
	w, ok := m.in.Workloads[u.Workload]
	return w, ok
}

// readyPods returns the ready pods of a unit, 0 where it was not looked at.
func (m *machine) readyPods(u *unit) int32 {
	w := m.in.Workloads[u.Workload]
	return w.Ready
}

// stampNow is the time that is persisted: whole seconds, rounded up, so that what
// counts from it is never early.
func (m *machine) stampNow() *metav1.Time {
	t := m.in.Now.Truncate(time.Second)
	if t.Before(m.in.Now) {
		t = t.Add(time.Second)
	}
	return &metav1.Time{Time: t}
}

// elapsedSince is the time since a stamp, 0 when there is none.
func (m *machine) elapsedSince(since *metav1.Time) time.Duration {
	if since == nil {
		return 0
	}
	return max(0, m.in.Now.Sub(since.Time))
}

// timeLeft returns how much of a time that counts from a stamp is still to come.
// It asks to be called again when it is over.
func (m *machine) timeLeft(since *metav1.Time, length time.Duration) time.Duration {
	left := length
	if since != nil {
		left = since.Add(length).Sub(m.in.Now)
	}
	if left > 0 {
		m.lookAgainIn(left)
	}
	return max(0, left)
}

// lookAgainIn asks to be called again after a while, at the latest.
func (m *machine) lookAgainIn(after time.Duration) {
	if m.after == 0 || after < m.after {
		m.after = after
	}
}

// setReason sets the one sentence; the last one counts.
func (m *machine) setReason(format string, args ...any) { m.reason = fmt.Sprintf(format, args...) }

// recordFor returns what the GatiVersion of a unit's version says.
func (m *machine) recordFor(u *unit) Record { return m.in.Records[u.Version] }

// findBar returns why a unit may not get weighted traffic; empty when it may.
func (m *machine) findBar(u *unit) string {
	r := m.recordFor(u)
	switch {
	case r.Inactive:
		return "its record says active: false"
	default:
		return m.holdFor(u.Version)
	}
}
