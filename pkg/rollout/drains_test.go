package rollout_test

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/rollout"
)

// noon is when the version of TestNevers is looked at.
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
			Read: true, Exists: true, Generation: 3, Weights: map[string]int32{"v1": 0, "v2": 100},
			Parents: []rollout.Parent{{Name: "web", Claimed: true, ObservedGeneration: 3, Accepted: true, ResolvedRefs: true}},
		},
	}
}

// sources are what may be known of v1's traffic, and whether it lets v1 go.
var sources = map[string]struct {
	traffic rollout.Traffic
	goes    bool
	says    string
}{
	"zero for the window":      {rollout.Traffic{Source: "s", Known: true, From: noon.Add(-6 * time.Minute), At: noon}, true, "no request was measured since"},
	"zero for less":            {rollout.Traffic{Source: "s", Known: true, From: noon.Add(-4 * time.Minute), At: noon}, false, "it goes when that has been so for 5m"},
	"zero, measured long ago":  {rollout.Traffic{Source: "s", Known: true, From: noon.Add(-time.Hour), At: noon.Add(-10 * time.Minute)}, false, "measured too long ago"},
	"traffic":                  {rollout.Traffic{Source: "s", Known: true, From: noon.Add(-6 * time.Minute), At: noon, Requests: 1}, false, "still called"},
	"a request under way":      {rollout.Traffic{Source: "s", Known: true, From: noon.Add(-6 * time.Minute), At: noon, InFlight: 1}, false, "still called"},
	"a pod went unread":        {rollout.Traffic{Source: "s", Known: true, From: noon.Add(-6 * time.Minute), At: noon, Lost: true}, false, "it goes when that has been so for 5m"},
	"unknown":                  {rollout.Traffic{Source: "s", At: noon, Message: "it is down"}, false, "it is down"},
	"no news":                  {rollout.Traffic{Source: "s"}, false, "nothing was measured yet"},
	"zero on one of the paths": {rollout.Traffic{Source: "s", Known: true, Partial: true, From: noon.Add(-6 * time.Minute), At: noon}, true, "drain.deadline of 1h is over"},
	"some on one of the paths": {rollout.Traffic{Source: "s", Known: true, Partial: true, From: noon.Add(-6 * time.Minute), At: noon, Requests: 1}, false, "still called"},
	"none":                     {rollout.Traffic{}, true, "drain.deadline of 1h is over"},
}

// nevers are what keeps a version whatever its traffic.
var nevers = map[string]struct {
	change func(*rollout.Input)
	says   string
}{
	"nothing":   {func(*rollout.Input) {}, ""},
	"protected": {func(in *rollout.Input) { in.Records["v1"] = rollout.Record{Tags: []string{"stable"}} }, "its tag stable is protected"},
	"tagged":    {func(in *rollout.Input) { in.Records["v1"] = rollout.Record{Tags: []string{"mine"}} }, ""},
	"kept":      {func(in *rollout.Input) { in.Records["v1"] = rollout.Record{Keep: true} }, "its record says keep"},
	"minActive": {func(in *rollout.Input) { in.Policy.MinActive = 2 }, "fewer than minActive (2) versions would be left"},
	"minAge":    {func(in *rollout.Input) { in.Policy.MinAge = 25 * time.Hour }, "younger than minAge"},
	"asked, minAge": {func(in *rollout.Input) {
		in.Policy.MinAge, in.State.Versions[0].DecommissionedBy = 25*time.Hour, "jane"
	}, ""},
	"rollback window": {func(in *rollout.Input) { in.Policy.RollbackWindow = 3 * time.Hour }, "a rollback to it is immediate"},
	"warm replicas":   {func(in *rollout.Input) { in.Policy.Warm = 1 }, "keeps 1 pods for a rollback"},
	"paused":          {func(in *rollout.Input) { in.State.Rollout.Frozen = &v1.Deed{By: "jane"} }, "paused by jane"},
	"not accepted": {func(in *rollout.Input) {
		in.State.Versions[0].ExposedWeight, in.State.Versions[0].DrainingSince = 100, nil
		in.Route.Parents[0].ObservedGeneration = 2
	}, "has not accepted yet"},
	"newest": {func(in *rollout.Input) {
		in.Declared = rollout.Unit{Version: "v1", Revision: "v1-r1", RevisionNumber: 1}
		in.State.Rollout.Rejected = []v1.RejectedStatus{{UnitRef: *in.State.Rollout.Previous, Reason: "it fails"}}
	}, "active"},
}

// TestNevers holds every reason that keeps a version against everything that may be
// known of its traffic: it goes only where neither has anything to say against it.
func TestNevers(t *testing.T) {
	for never, n := range nevers {
		for source, s := range sources {
			t.Run(never+"/"+source, func(t *testing.T) {
				in := drained()
				n.change(&in)
				w := in.Workloads["v1"]
				w.Traffic = s.traffic
				in.Workloads["v1"] = w
				d := rollout.Next(in)
				gone := len(d.Delete) > 0
				if want := n.says == "" && s.goes; gone != want {
					t.Fatalf("it goes: %v, want %v\n%s %q", gone, want, d.Reason, d.Notes)
				}
				said := strings.Join(d.Notes, " ")
				for _, e := range d.Events {
					said += " " + e.Message
				}
				switch {
				case n.says == "active":
					if d.Versions[0].Phase != v1.VersionActive {
						t.Errorf("the declared version is %s", d.Versions[0].Phase)
					}
				case n.says != "" && !strings.Contains(said, n.says):
					t.Errorf("%q, want %q in it", said, n.says)
				case n.says == "" && !strings.Contains(said, s.says):
					t.Errorf("%q, want %q in it", said, s.says)
				}
			})
		}
	}
	t.Logf("%d reasons to stay × %d states of the source", len(nevers), len(sources))
}

// TestDeadlineCountsDown holds that where nothing measures, the end is told from the
// start, and comes neither before nor after.
func TestDeadlineCountsDown(t *testing.T) {
	in := drained()
	since := in.State.Versions[0].DrainingSince.Time
	for _, after := range []time.Duration{0, 30 * time.Minute, time.Hour - time.Second} {
		in.Now = since.Add(after)
		in.State.Versions[0].SupersededAt = nil
		d := rollout.Next(in)
		if len(d.Delete) > 0 || !strings.Contains(strings.Join(d.Notes, ""), "it goes at 11:00:00 UTC") || d.After == 0 || d.After > time.Hour-after {
			t.Errorf("%s into the drain: %v goes, again after %s: %q", after, d.Delete, d.After, d.Notes)
		}
	}
	in.Now = since.Add(time.Hour)
	if d := rollout.Next(in); len(d.Delete) != 1 {
		t.Errorf("at the deadline: %q", d.Notes)
	}
}

// TestColdNeedsEvidence holds that a version which lives by its header alone drains
// only when it was measured that nobody calls it.
func TestColdNeedsEvidence(t *testing.T) {
	for name, tc := range map[string]struct {
		traffic rollout.Traffic
		phase   v1.VersionPhase
	}{
		"nobody for a week": {rollout.Traffic{Source: "s", Known: true, From: noon.Add(-8 * 24 * time.Hour), At: noon}, v1.VersionDraining},
		"somebody":          {rollout.Traffic{Source: "s", Known: true, From: noon.Add(-8 * 24 * time.Hour), At: noon, Requests: 1}, v1.VersionActive},
		"nobody for a day":  {rollout.Traffic{Source: "s", Known: true, From: noon.Add(-24 * time.Hour), At: noon}, v1.VersionActive},
		"unknown":           {rollout.Traffic{Source: "s", At: noon, Message: "it is down"}, v1.VersionActive},
		"nothing measures":  {rollout.Traffic{}, v1.VersionActive},
		"one of the paths":  {rollout.Traffic{Source: "s", Known: true, Partial: true, From: noon.Add(-8 * 24 * time.Hour), At: noon}, v1.VersionActive},
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
