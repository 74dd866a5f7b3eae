package rollout_test

import (
	"cmp"
	"maps"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/rollouttest"
	"gati.dev/gati/pkg/rollout"
)

// noon is when the version of TestKeepers is looked at.
var noon = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

// drained is a handler whose v1 was superseded by v2 two hours ago, accepted, and old
// enough: all that keeps v1 is what a case says.
func drained() rollout.Input {
	stamp := func(ago time.Duration) *metav1.Time { return &metav1.Time{Time: noon.Add(-ago)} }
	hundred, zero := int32(100), int32(0)
	unit := func(version string) rollout.Unit {
		return rollout.Unit{Version: version, Revision: version + "-r1", RevisionNumber: 1}
	}
	ref := func(version string) *v1.UnitRef {
		return &v1.UnitRef{Version: version, Revision: version + "-r1", RevisionNumber: 1, Workload: version}
	}
	pods := rollout.Observation{Updated: 1, Ready: 1, Wanted: 1, Complete: true}
	return rollout.Input{
		Now: noon, Declared: unit("v2"), Intent: "i",
		Policy: rollout.Policy{
			Strategy: v1.StrategyCanary, Replicas: 1, Min: 1, Gateway: true, AutoRollback: true,
			ProgressDeadline: 10 * time.Minute, RollbackWindow: 10 * time.Minute, DrainWindow: 5 * time.Minute, DrainDeadline: time.Hour,
			ColdAfter: 7 * 24 * time.Hour, MinAge: time.Hour, MinActive: 1, ProtectedTags: []string{"stable"},
		},
		Records: map[string]rollout.Record{},
		State: rollout.State{
			Versions: []v1.VersionStatus{
				{Version: "v1", Sequence: 1, Revision: "v1-r1", RevisionNumber: 1, Workload: "v1", Phase: v1.VersionDraining, AcceptedWeight: &zero,
					AdmittedAt: stamp(24 * time.Hour), SupersededAt: stamp(2 * time.Hour), DrainingSince: stamp(2 * time.Hour)},
				{Version: "v2", Sequence: 2, Revision: "v2-r1", RevisionNumber: 1, Workload: "v2", Phase: v1.VersionActive, Weight: 100, AcceptedWeight: &hundred, ExposedWeight: 100,
					AdmittedAt: stamp(3 * time.Hour)},
			},
			Rollout: &v1.RolloutStatus{Phase: v1.RolloutStable, Stable: ref("v2"), Previous: ref("v1"), Intent: "i", RouteGeneration: 3},
		},
		Workloads: map[string]rollout.Workload{
			"v1": {Exists: true, Unit: unit("v1"), Observation: pods}, "v2": {Exists: true, Unit: unit("v2"), Observation: pods},
		},
		Route: rollout.Route{
			Exists: true, Generation: 3, Weights: map[string]int32{"v1": 0, "v2": 100},
			Parents: []rollout.Parent{{Name: "web", Claimed: true, ObservedGeneration: 3, Accepted: true, ResolvedRefs: true}},
		},
	}
}

// sources are what may be known of v1's traffic, and what keeps v1 because of it;
// else says is how it came to be removed.
var sources = map[string]struct {
	traffic rollout.Traffic
	stays   v1.StaysReason
	says    string
}{
	"zero for the window":      {rollout.Traffic{Source: "s", Known: true, From: noon.Add(-6 * time.Minute), At: noon}, "", "no requests since 11:54:00 UTC"},
	"zero for less":            {rollout.Traffic{Source: "s", Known: true, From: noon.Add(-4 * time.Minute), At: noon}, v1.StaysDrainWindow, ""},
	"zero, measured long ago":  {rollout.Traffic{Source: "s", Known: true, From: noon.Add(-time.Hour), At: noon.Add(-10 * time.Minute)}, v1.StaysTrafficUnknown, ""},
	"traffic":                  {rollout.Traffic{Source: "s", Known: true, From: noon.Add(-6 * time.Minute), At: noon, Requests: 1}, v1.StaysStillCalled, ""},
	"a request under way":      {rollout.Traffic{Source: "s", Known: true, From: noon.Add(-6 * time.Minute), At: noon, InFlight: 1}, v1.StaysStillCalled, ""},
	"a pod went unread":        {rollout.Traffic{Source: "s", Known: true, From: noon.Add(-6 * time.Minute), At: noon, Lost: true}, v1.StaysDrainWindow, ""},
	"unknown":                  {rollout.Traffic{Source: "s", At: noon, Message: "it is down"}, v1.StaysTrafficUnknown, ""},
	"no news":                  {rollout.Traffic{Source: "s"}, v1.StaysTrafficUnknown, ""},
	"zero on one of the paths": {rollout.Traffic{Source: "s", Known: true, Partial: true, From: noon.Add(-6 * time.Minute), At: noon}, "", "drain.deadline (1h) has passed"},
	"some on one of the paths": {rollout.Traffic{Source: "s", Known: true, Partial: true, From: noon.Add(-6 * time.Minute), At: noon, Requests: 1}, v1.StaysStillCalled, ""},
	"none":                     {rollout.Traffic{}, "", "drain.deadline (1h) has passed"},
	"pods without metrics":     {rollout.Traffic{Source: "pods", Unproven: true, At: noon, Message: "404"}, "", "drain.deadline (1h) has passed"},
	"pods that were not asked": {rollout.Traffic{Source: "pods", Unproven: true}, v1.StaysNotObserved, ""},
}

// keepers are what keeps a version whatever its traffic.
var keepers = map[string]struct {
	change func(*rollout.Input)
	stays  v1.StaysReason
	active bool
}{
	"nothing":   {func(*rollout.Input) {}, "", false},
	"protected": {func(in *rollout.Input) { in.Records["v1"] = rollout.Record{Tags: []string{"stable"}} }, v1.StaysProtectedTag, false},
	"tagged":    {func(in *rollout.Input) { in.Records["v1"] = rollout.Record{Tags: []string{"mine"}} }, "", false},
	"kept":      {func(in *rollout.Input) { in.Records["v1"] = rollout.Record{Keep: true} }, v1.StaysKeep, false},
	"minActive": {func(in *rollout.Input) { in.Policy.MinActive = 3 }, v1.StaysMinActive, false},
	"minAge":    {func(in *rollout.Input) { in.Policy.MinAge = 25 * time.Hour }, v1.StaysMinAge, false},
	"asked, minAge": {func(in *rollout.Input) {
		in.Policy.MinAge, in.State.Versions[0].DecommissionedBy = 25*time.Hour, "jane"
	}, "", false},
	"rollback window": {func(in *rollout.Input) { in.Policy.RollbackWindow = 3 * time.Hour }, v1.StaysRollbackWindow, false},
	"warm replicas":   {func(in *rollout.Input) { in.Policy.Warm = 2 }, v1.StaysWarmReplicas, false},
	"paused":          {func(in *rollout.Input) { in.State.Rollout.Frozen = &v1.Deed{By: "jane"} }, v1.StaysPaused, false},
	"not accepted": {func(in *rollout.Input) {
		in.State.Versions[0].ExposedWeight, in.State.Versions[0].DrainingSince = 100, nil
		in.Route.Parents[0].ObservedGeneration = 2
	}, v1.StaysGatewayLag, false},
	"newest": {func(in *rollout.Input) {
		in.Declared = rollout.Unit{Version: "v1", Revision: "v1-r1", RevisionNumber: 1}
		in.State.Rollout.Rejected = []v1.RejectedStatus{{UnitRef: *in.State.Rollout.Previous, Reason: "it fails"}}
	}, "", true},
}

// TestKeepers holds every reason that keeps a version against everything that may be
// known of its traffic: it is removed only where neither has anything to say against
// it, and the status says which of them keeps it.
func TestKeepers(t *testing.T) {
	for keeper, k := range keepers {
		for source, s := range sources {
			t.Run(keeper+"/"+source, func(t *testing.T) {
				in := drained()
				k.change(&in)
				w := in.Workloads["v1"]
				w.Traffic = s.traffic
				in.Workloads["v1"] = w
				d := rollout.Next(in)
				is := d.Versions[0]
				if k.active {
					if is.Phase != v1.VersionActive || is.Stays != nil {
						t.Fatalf("the declared version is %s and stays for %+v", is.Phase, is.Stays)
					}
					return
				}
				want := cmp.Or(k.stays, s.stays)
				if gone := len(d.Delete) > 0; gone != (want == "") {
					t.Fatalf("it is removed: %v, want it to stay for %q\n%s %q", gone, want, d.Reason, d.Notes)
				}
				if want == "" {
					if e := d.Events[len(d.Events)-1]; is.Stays != nil || !strings.Contains(e.Message, s.says) {
						t.Errorf("%+v, %q; want %q in it", is.Stays, e.Message, s.says)
					}
					return
				}
				if is.Stays == nil || is.Stays.Reason != want || !strings.Contains(strings.Join(d.Notes, " "), is.Stays.Message) {
					t.Errorf("%+v, want %s, and told: %q", is.Stays, want, d.Notes)
				}
			})
		}
	}
	t.Logf("%d reasons to stay × %d states of the source", len(keepers), len(sources))
}

// TestDeadlineIsTold holds that where nothing measures, the end is told from the
// start, and comes neither before nor after.
func TestDeadlineIsTold(t *testing.T) {
	in := drained()
	since := in.State.Versions[0].DrainingSince.Time
	var first *v1.StaysStatus
	for _, after := range []time.Duration{0, 30 * time.Minute, time.Hour - time.Second} {
		in.Now = since.Add(after)
		in.State.Versions[0].SupersededAt = nil
		d := rollout.Next(in)
		s := d.Versions[0].Stays
		if len(d.Delete) > 0 || s == nil || s.Reason != v1.StaysDrainDeadline || !s.NotBefore.Equal(&metav1.Time{Time: since.Add(time.Hour)}) || d.After == 0 || d.After > time.Hour-after {
			t.Fatalf("%s into the drain: %v is removed, again after %s: %+v", after, d.Delete, d.After, s)
		}
		if first == nil {
			first = s
		}
		if *s.NotBefore != *first.NotBefore || s.Message != first.Message {
			t.Errorf("%s into the drain it says %+v, at first %+v: each look would be a write", after, s, first)
		}
	}
	in.Now = since.Add(time.Hour)
	if d := rollout.Next(in); len(d.Delete) != 1 {
		t.Errorf("at the deadline: %q", d.Notes)
	}
}

// What the drain says is true of the source: metrics of one path are metrics.
func TestDrainDeadlineSaysWhy(t *testing.T) {
	for why, traffic := range map[string]rollout.Traffic{
		"no traffic metrics, so drain.deadline decides":                                {},
		"only some of the paths to it have traffic metrics, so drain.deadline decides": {Source: "s", Known: true, Partial: true, From: noon.Add(-6 * time.Minute), At: noon},
	} {
		in := drained()
		in.Policy.DrainDeadline = 4 * time.Hour
		w := in.Workloads["v1"]
		w.Traffic = traffic
		in.Workloads["v1"] = w
		if s := rollout.Next(in).Versions[0].Stays; s == nil || s.Reason != v1.StaysDrainDeadline || s.Message != why {
			t.Errorf("%+v, want %q", s, why)
		}
	}
}

// TestTheLastTimeIsTold holds that of several times that keep a version, the one that
// is over last is told: before that it is not removed.
func TestTheLastTimeIsTold(t *testing.T) {
	tests := map[string]struct {
		change func(*rollout.Policy)
		reason v1.StaysReason
	}{
		"rollbackWindow": {func(p *rollout.Policy) { p.RollbackWindow, p.DrainDeadline = 5*time.Hour, 4*time.Hour }, v1.StaysRollbackWindow},
		"minAge":         {func(p *rollout.Policy) { p.RollbackWindow, p.MinAge = 5*time.Hour, 48*time.Hour }, v1.StaysMinAge},
		"drain.deadline": {func(p *rollout.Policy) { p.RollbackWindow, p.DrainDeadline = 3*time.Hour, 4*time.Hour }, v1.StaysDrainDeadline},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			in := drained()
			tc.change(&in.Policy)
			d := rollout.Next(in)
			s := d.Versions[0].Stays
			if s == nil || s.Reason != tc.reason {
				t.Fatalf("%+v, want %s", s, tc.reason)
			}
			in.State, in.Now = d.State, s.NotBefore.Time
			if d := rollout.Next(in); len(d.Delete) != 1 {
				t.Errorf("at %s it stays for %+v", s.NotBefore, d.Versions[0].Stays)
			}
		})
	}
}

// TestColdNeedsEvidence holds that a version which lives by its header alone drains
// only when no calls are measured.
func TestColdNeedsEvidence(t *testing.T) {
	for name, tc := range map[string]struct {
		traffic rollout.Traffic
		phase   v1.VersionPhase
	}{
		"no calls for a week": {rollout.Traffic{Source: "s", Known: true, From: noon.Add(-8 * 24 * time.Hour), At: noon}, v1.VersionDraining},
		"a call":              {rollout.Traffic{Source: "s", Known: true, From: noon.Add(-8 * 24 * time.Hour), At: noon, Requests: 1}, v1.VersionActive},
		"no calls for a day":  {rollout.Traffic{Source: "s", Known: true, From: noon.Add(-24 * time.Hour), At: noon}, v1.VersionActive},
		"unknown":             {rollout.Traffic{Source: "s", At: noon, Message: "it is down"}, v1.VersionActive},
		"nothing measures":    {rollout.Traffic{}, v1.VersionActive},
		"one of the paths":    {rollout.Traffic{Source: "s", Known: true, Partial: true, From: noon.Add(-8 * 24 * time.Hour), At: noon}, v1.VersionActive},
	} {
		in := drained()
		in.State.Versions[0].Phase, in.State.Versions[0].DrainingSince = v1.VersionActive, nil
		in.State.Versions[0].AdmittedAt = &metav1.Time{Time: noon.Add(-30 * 24 * time.Hour)}
		in.Records["v1"] = rollout.Record{Held: "its input has lost a property"}
		w := in.Workloads["v1"]
		w.Traffic = tc.traffic
		in.Workloads["v1"] = w
		if d := rollout.Next(in); d.Versions[0].Phase != tc.phase || len(d.Delete) > 0 {
			t.Errorf("%s: %s, %v goes; want %s", name, d.Versions[0].Phase, d.Delete, tc.phase)
		}
	}
}

// TestClocksThatDifferRestartNoDrain holds that a drain goes on where the clock of the next
// API server, or of the next leader's, is a little behind.
func TestClocksThatDifferRestartNoDrain(t *testing.T) {
	for behind, want := range map[time.Duration]v1.EvidenceState{time.Second: v1.EvidenceZero, 2 * time.Second: v1.EvidenceZero, time.Minute: v1.EvidenceUnknown} {
		in := drained()
		w := in.Workloads["v1"]
		w.Traffic = rollout.Traffic{Source: "s", Known: true, From: noon.Add(-4 * time.Minute), At: noon}
		in.Workloads["v1"] = w
		d := rollout.Next(in)
		before := d.Versions[0].Evidence
		in.State, in.Now = d.State, in.Now.Add(-behind)
		e := rollout.Next(in).Versions[0].Evidence
		if e == nil || e.State != want || want == v1.EvidenceZero && !e.ZeroSince.Equal(before.ZeroSince) {
			t.Errorf("%s behind: %+v, before %+v; want %s", behind, e, before, want)
		}
	}
}

// TestADrainBeginsWithTheMeasurementOfItsDecision holds that the decision with which a
// drain begins persists what was measured by then: a second look at it changes nothing.
func TestADrainBeginsWithTheMeasurementOfItsDecision(t *testing.T) {
	in := drained()
	v := &in.State.Versions[0]
	v.Phase, v.DrainingSince, v.SupersededAt = v1.VersionActive, nil, nil
	since, measured := metav1.Time{Time: noon.Add(-time.Hour)}, metav1.Time{Time: noon.Add(-time.Minute)}
	v.Evidence = &v1.EvidenceStatus{Source: "s", State: v1.EvidenceZero, ZeroSince: &since, MeasuredAt: &measured}
	w := in.Workloads["v1"]
	w.Traffic = rollout.Traffic{Source: "s", Known: true, From: noon.Add(-2 * time.Minute), At: noon}
	in.Workloads["v1"] = w
	if err := rollouttest.Deterministic(rollout.Next, in); err != nil {
		t.Error(err)
	}
	if is := rollout.Next(in).Versions[0]; is.Phase != v1.VersionDraining || is.Evidence == nil || !is.Evidence.MeasuredAt.Time.Equal(noon) {
		t.Errorf("it is %s, measured: %+v, want Draining and %s", is.Phase, is.Evidence, noon)
	}
}

// TestAClockThatWentBackBeginsADrainAnew holds that a measurement without requests, taken
// after the clock went back, ends no version whose requests were stamped before: they lie
// ahead of it, and it cannot have seen them.
func TestAClockThatWentBackBeginsADrainAnew(t *testing.T) {
	in := drained()
	v1s := &in.State.Versions[0]
	ahead := &metav1.Time{Time: noon.Add(time.Minute)}
	v1s.Evidence = &v1.EvidenceStatus{Source: "s", State: v1.EvidenceBusy, MeasuredAt: ahead, LastRequest: ahead}
	for after, want := range map[time.Duration]v1.StaysReason{0: v1.StaysDrainWindow, 4 * time.Minute: v1.StaysDrainWindow, 5 * time.Minute: ""} {
		next := in
		next.State = rollout.Next(measuredZero(in, noon)).State
		next.Now = noon.Add(after)
		d := rollout.Next(measuredZero(next, next.Now))
		if got := firstStays(d); got != want {
			t.Errorf("after %s it stays for %q, want %q: %s", after, got, want, d.Reason)
		}
	}
}

// TestAClockThatWentBackBeginsADeadlineAnew holds that a version that a source sees only in
// part, and that was called before the clock went back, has its whole deadline again: that it
// was called is stamped ahead.
func TestAClockThatWentBackBeginsADeadlineAnew(t *testing.T) {
	in := drained()
	in.Policy.DrainDeadline = 10 * time.Minute
	v1s := &in.State.Versions[0]
	ahead := &metav1.Time{Time: noon.Add(4 * time.Minute)}
	v1s.DrainingSince = &metav1.Time{Time: noon.Add(-time.Hour)}
	v1s.Evidence = &v1.EvidenceStatus{Source: "s", State: v1.EvidenceBusy, MeasuredAt: ahead, LastRequest: ahead}
	partly := func(in rollout.Input, at time.Time) rollout.Input {
		in = measuredZero(in, at)
		w := in.Workloads["v1"]
		w.Traffic.Partial = true
		in.Workloads["v1"] = w
		return in
	}
	next := in
	next.State = rollout.Next(partly(in, ahead.Time)).State
	for after, want := range map[time.Duration]v1.StaysReason{time.Minute: v1.StaysDrainDeadline, 9 * time.Minute: v1.StaysDrainDeadline, 11 * time.Minute: ""} {
		next.Now = noon.Add(after)
		d := rollout.Next(partly(next, next.Now))
		if got := firstStays(d); got != want {
			t.Errorf("after %s it stays for %q, want %q: %s", after, got, want, d.Reason)
		}
	}
}

// firstStays is why the first version stays, "" if it goes.
func firstStays(d rollout.Decision) v1.StaysReason {
	if s := d.Versions[0].Stays; s != nil {
		return s.Reason
	}
	return ""
}

// measuredZero is an input with a measurement of v1 that has seen no request for six minutes.
func measuredZero(in rollout.Input, at time.Time) rollout.Input {
	in.Workloads = maps.Clone(in.Workloads)
	w := in.Workloads["v1"]
	w.Traffic = rollout.Traffic{Source: "s", Known: true, From: at.Add(-6 * time.Minute), At: at}
	in.Workloads["v1"] = w
	return in
}

// TestAProtectedVersionKeepsItsLastPods holds that a version with a protected tag keeps the
// workload of its own while the other one that ran it gets the pods of the next version.
func TestAProtectedVersionKeepsItsLastPods(t *testing.T) {
	in := drained()
	in.Policy.Strategy = v1.StrategyRollingUpdate
	in.Records["v1"] = rollout.Record{Tags: []string{"stable"}}
	w := in.Workloads["v1"]
	w.Traffic = rollout.Traffic{Source: "s", Known: true, From: noon.Add(-6 * time.Minute), At: noon}
	in.Workloads["v1"] = w
	main := in.State.Versions[0]
	main.Workload, main.SupersededAt, main.DrainingSince = v1.WorkloadMain, nil, nil
	in.State.Versions[1].Workload = v1.WorkloadMain
	in.State.Versions = []v1.VersionStatus{in.State.Versions[0], main, in.State.Versions[1]}
	ro := in.State.Rollout
	ro.Stable, ro.Target, ro.Previous = main.Ref(), in.State.Versions[2].Ref(), nil
	ro.Phase, ro.Mode = v1.RolloutProgressing, v1.RolloutInPlace
	delete(in.Workloads, "v2")
	in.Workloads[v1.WorkloadMain] = rollout.Workload{Exists: true, Unit: in.Declared, Observation: rollout.Observation{Updated: 1, Wanted: 1}}
	if d := rollout.Next(in); d.Versions[0].Stays == nil || d.Versions[0].Stays.Reason != v1.StaysProtectedTag {
		t.Errorf("v1 stays for %+v: %s", d.Versions[0].Stays, d.Reason)
	}
}
