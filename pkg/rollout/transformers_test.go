package rollout_test

import (
	"strings"
	"testing"
	"time"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/rollouttest"
	"gati.dev/gati/pkg/request"
	"gati.dev/gati/pkg/rollout"
)

// covered is a handler whose next version breaks callers of v1 and has recorded
// transformers for them.
func covered(t *testing.T, strategy v1.Strategy) *rollouttest.Life {
	t.Helper()
	l := settled(t, strategy)
	l.Policy.MinAge, l.Policy.DrainDeadline = 100*time.Hour, 100*time.Hour
	l.Records = map[string]rollout.Record{"v1": {Run: "v1"}, "v2": {Run: "v2", Serves: []string{"v1"}}}
	l.Transformers = rollout.Transformers{Versions: []string{"v1", "v2"}, Hops: []rollout.Hop{{From: "v1", To: "v2"}}}
	return l
}

// wantWaiting holds that the handler waits for transformers, and says so.
func wantWaiting(t *testing.T, l *rollouttest.Life, words string) {
	t.Helper()
	w := l.State.Rollout.WaitingFor
	if w == nil || w.Reason != v1.WaitingForTransformers || !strings.Contains(w.Message, words) {
		t.Fatalf("it waits for %+v, want %s: %q; %s", w, v1.WaitingForTransformers, words, l.Last.Reason)
	}
	for _, v := range l.State.Versions {
		if v.Held != "" || v.Phase != v1.VersionActive {
			t.Errorf("%s is %s and held: %q", v.Version, v.Phase, v.Held)
		}
	}
}

// A version that serves callers through transformers gets its first weight once every
// ready pod reports them, and then goes on by itself.
func TestWeightWaitsForTransformers(t *testing.T) {
	for name, tc := range map[string]struct {
		holding rollouttest.Holding
		says    string
	}{
		"a pod lacks a function":        {rollouttest.Lacking, "0 of 1 pod of v2 hold v1→v2; v2-0 lacks it"},
		"a pod reports nothing":         {rollouttest.Mute, "0 of 1 pod of v2 hold v1→v2; v2-0 answers /metrics with 404"},
		"a pod has another file":        {rollouttest.Behind, "0 of 1 pod of v2 hold v1→v2; v2-0 has not read the current file of transformers yet"},
		"every pod holds what it needs": {rollouttest.HoldsAll, ""},
	} {
		t.Run(name, func(t *testing.T) {
			l := covered(t, v1.StrategyCanary)
			l.Policy.AutoRollback = true
			l.Cluster.Holding = tc.holding
			l.Declare("v2", 1)
			pass(t, l, 200) // Longer than progressDeadline: a wait is no failure.
			if tc.says != "" {
				wantWaiting(t, l, tc.says)
				if got := weightOf(&l.Last, "v2"); got != 0 {
					t.Fatalf("v2 has %d %%", got)
				}
				if every := planOf(l, "v2").ReportEvery; every == 0 {
					t.Error("its pods are not asked")
				}
				l.Cluster.Holding = rollouttest.HoldsAll
				pass(t, l, 2)
			}
			if got := weightOf(&l.Last, "v2"); got != 10 && tc.says != "" || got == 0 {
				t.Errorf("v2 has %d %%: %s", got, l.Last.Reason)
			}
		})
	}
}

// The message counts the pods that hold all, and names what another lacks of a chain.
func TestWaitingNamesPodAndPair(t *testing.T) {
	l := covered(t, v1.StrategyCanary)
	l.Policy.Steps = []rollout.Step{{Weight: 100}}
	l.Transformers = rollout.Transformers{Versions: []string{"v1", "v1.5", "v2"}, Hops: []rollout.Hop{{From: "v1", To: "v1.5"}, {From: "v1.5", To: "v2"}}}
	l.Declare("v2", 1)
	l.Cluster.Holding = rollouttest.Mute
	pass(t, l, 20)
	in := l.Input()
	w := in.Workloads["v2"]
	for i := range w.Reports {
		w.Reports[i] = rollout.PodReport{Pod: w.Reports[i].Pod, At: in.Now, Contract: "v1", Hash: in.Transformers.Hash, Loaded: l.Transformers.Hops}
	}
	w.Reports[3].Loaded = l.Transformers.Hops[:1]
	in.Workloads["v2"] = w
	in.Transformers.Functions = map[rollout.Hop]string{{From: "v1.5", To: "v2"}: "usersUp, usersDown"}
	want := "3 of 4 pods of v2 hold v1→v1.5→v2; v2-3 lacks v1.5→v2 (usersUp, usersDown)"
	if d := rollout.Next(in); d.Rollout.WaitingFor == nil || d.Rollout.WaitingFor.Message != want {
		t.Errorf("%+v, want %s", d.Rollout.WaitingFor, want)
	}
	w.Reports[0].At = in.Now.Add(-time.Hour)
	want = "2 of 4 pods of v2 hold v1→v1.5→v2; v2-0 was last asked too long ago, and 1 more"
	if d := rollout.Next(in); d.Rollout.WaitingFor == nil || d.Rollout.WaitingFor.Message != want {
		t.Errorf("%+v, want %s", d.Rollout.WaitingFor, want)
	}
	w.Reports = nil
	in.Workloads["v2"] = w
	want = "no ready pod of v2 reports yet that it holds v1→v1.5→v2"
	if d := rollout.Next(in); d.Rollout.WaitingFor == nil || d.Rollout.WaitingFor.Message != want {
		t.Errorf("%+v, want %s", d.Rollout.WaitingFor, want)
	}
}

// While a version serves, a lack that a pod reports takes it back and is the reason; silence,
// and an older file, hold its weight.
func TestAReportedLackRollsBack(t *testing.T) {
	for name, tc := range map[string]struct {
		holding rollouttest.Holding
		goes    bool
	}{
		"a pod lacks a function": {rollouttest.Lacking, true},
		"a pod reports nothing":  {rollouttest.Mute, false},
		"a pod has another file": {rollouttest.Behind, false},
	} {
		t.Run(name, func(t *testing.T) {
			l := covered(t, v1.StrategyCanary)
			l.Policy.AutoRollback = true
			l.Policy.Steps = []rollout.Step{{Weight: 10, Pause: time.Hour}, {Weight: 50, Pause: time.Hour}}
			l.Declare("v2", 1)
			pass(t, l, 6)
			if got := weightOf(&l.Last, "v2"); got != 10 {
				t.Fatalf("v2 has %d %%: %s", got, l.Last.Reason)
			}
			l.Cluster.Holding = tc.holding
			pass(t, l, 6)
			if got := weightOf(&l.Last, "v2"); got == 0 != tc.goes {
				t.Errorf("v2 has %d %%: %s", got, l.Last.Reason)
			}
			if ro := l.State.Rollout; tc.goes && (len(ro.Rejected) != 1 || !strings.HasPrefix(ro.Rejected[0].Reason, "pod v2-0 reports that it lacks v1→v2, which callers of v1 need")) {
				t.Errorf("rejected %+v", ro.Rejected)
			}
		})
	}
}

// A version whose transformers fail now and then is taken back by its success rate, and the
// reason names them.
func TestTheReasonNamesFailedTransformers(t *testing.T) {
	l := judged(t)
	l.Cluster.Load.PerSecond = 50
	l.Cluster.Load.Bad["v2-r1"] = 0.3
	l.Declare("v2", 1)
	failed := rollout.Hop{From: "v1", To: "v2"}
	for range 100 {
		in := l.Input()
		in.Transformers.Functions = map[rollout.Hop]string{failed: "usersUp, usersDown"}
		w := in.Workloads["v2"]
		w.Reports = []rollout.PodReport{{Pod: "v2-0", Failed: []rollout.Hop{failed}}, {Pod: "v2-1", Failed: []rollout.Hop{failed}}}
		in.Workloads["v2"] = w
		if r := rollout.Next(in).Rollout.Rejected; len(r) > 0 {
			if want := "; the transformer v1→v2 (usersUp, usersDown) has failed in pod v2-0"; !strings.HasSuffix(r[0].Reason, want) {
				t.Errorf("%q, want %q", r[0].Reason, want)
			}
			return
		}
		look(t, l)
		l.Cluster.Pass(5 * time.Second)
	}
	t.Error("v2 is not taken back")
}

// A wait for reports needs a user once progressDeadline is over, and still ends by itself.
func TestAWaitForReportsStalls(t *testing.T) {
	l := covered(t, v1.StrategyCanary)
	l.Policy.AutoRollback, l.Policy.ProgressDeadline = true, 10*time.Minute
	l.Cluster.Holding = rollouttest.Mute
	l.Declare("v2", 1)
	pass(t, l, 6)
	since := l.State.Rollout.UnreportedSince
	if wantWaiting(t, l, "answers /metrics with 404"); l.Last.Stalled || since == nil {
		t.Fatalf("stalled %v since %v: %s", l.Last.Stalled, since, l.Last.Reason)
	}
	for l.Cluster.Now.Sub(since.Time) < l.Policy.ProgressDeadline {
		pass(t, l, 1)
	}
	pass(t, l, 1)
	if wantWaiting(t, l, "answers /metrics with 404"); !l.Last.Stalled || !l.State.Rollout.UnreportedSince.Equal(since) {
		t.Errorf("stalled %v since %v, want %v: %s", l.Last.Stalled, l.State.Rollout.UnreportedSince, since, l.Last.Reason)
	}
	l.Cluster.Holding = rollouttest.HoldsAll
	pass(t, l, 3)
	if l.Last.Stalled || l.State.Rollout.UnreportedSince != nil || weightOf(&l.Last, "v2") == 0 {
		t.Errorf("stalled %v, v2 has %d %%: %s", l.Last.Stalled, weightOf(&l.Last, "v2"), l.Last.Reason)
	}
}

// A weighted breaking version that an earlier release took for covered because that was
// declared keeps its weight and its pods. Its next weight waits, and says for what.
func TestDeclaredTransformersKeepTheirWeight(t *testing.T) {
	l := covered(t, v1.StrategyCanary)
	l.Policy.Steps = []rollout.Step{{Weight: 10, Pause: time.Minute}, {Weight: 50, Pause: time.Minute}}
	l.Transformers.Declared = true
	l.Declare("v2", 1)
	pass(t, l, 6)
	if got := weightOf(&l.Last, "v2"); got != 10 {
		t.Fatalf("v2 has %d %%: %s", got, l.Last.Reason)
	}
	before := *planOf(l, "v2")
	l.Transformers.Declared, l.Cluster.Holding = false, rollouttest.Mute
	events := len(l.State.Rollout.History)
	pass(t, l, 200)
	wantWaiting(t, l, "v2-0 answers /metrics with 404")
	after := *planOf(l, "v2")
	if after.Weight != before.Weight || after.Unit != before.Unit || after.RestartedAt != nil || after.Replicas < before.Replicas {
		t.Errorf("%+v became %+v", before, after)
	}
	if more := l.State.Rollout.History[events:]; len(more) > 0 {
		t.Errorf("it led to %+v", more)
	}
	l.Cluster.Holding = rollouttest.HoldsAll
	pass(t, l, 2)
	if got := weightOf(&l.Last, "v2"); got != 50 {
		t.Errorf("v2 has %d %%: %s", got, l.Last.Reason)
	}
}

// A stable version that is silent is restored all the same: its traffic was its own.
func TestRollbackWaitsForNoTransformers(t *testing.T) {
	l := covered(t, v1.StrategyCanary)
	l.Declare("v2", 1)
	l.Cluster.Pass(time.Second)
	look(t, l)
	l.Ask(request.Promote, request.Full)
	pass(t, l, 20)
	l.Records["v3"] = rollout.Record{Run: "v2", Serves: []string{"v1"}}
	l.Transformers.Versions = append(l.Transformers.Versions, "v3")
	l.Transformers.Hops = append(l.Transformers.Hops, rollout.Hop{From: "v2", To: "v3"})
	l.Declare("v3", 1)
	pass(t, l, 10)
	if got := weightOf(&l.Last, "v3"); got == 0 {
		t.Fatalf("v3 has nothing: %s", l.Last.Reason)
	}
	l.Cluster.Holding = rollouttest.Mute
	l.Ask(request.Abort, "")
	pass(t, l, 3)
	if got := weightOf(&l.Last, "v2"); got != 100 {
		t.Errorf("v2 has %d %%: %s", got, l.Last.Reason)
	}
}

// Under Manual a share waits as well, and the rest stays where it is.
func TestSharesWaitForTransformers(t *testing.T) {
	l := covered(t, v1.StrategyManual)
	l.Declare("v2", 1)
	pass(t, l, 6)
	l.Cluster.Holding = rollouttest.Lacking
	half := int32(50)
	l.Records["v2"] = rollout.Record{Run: "v2", Serves: []string{"v1"}, Traffic: &half}
	pass(t, l, 20)
	wantWaiting(t, l, "v1 100 % so far; 1 of 2 pods of v2 hold v1→v2; v2-0 lacks it")
	if got := sharesOf(l); got != "v1 100" {
		t.Fatal(got)
	}
	l.Cluster.Holding = rollouttest.HoldsAll
	pass(t, l, 4)
	if got := sharesOf(l); got != "v1 50 v2 50" {
		t.Errorf("%s: %s", got, l.Last.Reason)
	}
	less := int32(20)
	l.Cluster.Holding = rollouttest.Mute
	l.Records["v2"] = rollout.Record{Run: "v2", Serves: []string{"v1"}, Traffic: &less}
	pass(t, l, 20)
	if got := sharesOf(l); got != "v1 80 v2 20" {
		t.Errorf("less traffic needs no report: %s: %s", got, l.Last.Reason)
	}
}

// Without a gateway pods serve as soon as the front Service selects them: it leaves out
// those that have not reported.
func TestFrontWaitsForTransformers(t *testing.T) {
	l := settled(t, v1.StrategyCanary)
	l.Policy.Gateway = false
	l.Policy.Steps = []rollout.Step{{Weight: 25, Pause: time.Minute}, {Weight: 50, Pause: time.Minute}}
	l.Records = map[string]rollout.Record{"v1": {Run: "v1"}, "v2": {Run: "v2", Serves: []string{"v1"}}}
	l.Transformers = rollout.Transformers{Versions: []string{"v1", "v2"}, Hops: []rollout.Hop{{From: "v1", To: "v2"}}}
	pass(t, l, 4)
	l.Cluster.Holding = rollouttest.Lacking
	l.Declare("v2", 1)
	pass(t, l, 12)
	wantWaiting(t, l, "v2-0 lacks it")
	if l.Last.Front != "v1" {
		t.Fatalf("the front selects %q", l.Last.Front)
	}
	l.Cluster.Holding = rollouttest.HoldsAll
	pass(t, l, 2)
	if l.Last.Front != "" {
		t.Fatalf("the front selects %q: %s", l.Last.Front, l.Last.Reason)
	}
	l.Cluster.Holding = rollouttest.Mute
	pass(t, l, 2)
	if l.Last.Front != "" {
		t.Errorf("silence takes traffic away: the front selects %q", l.Last.Front)
	}
}

// Pods that are rolled back without a gateway before they have reported are never served.
func TestFrontStaysClosedOnTheWayBack(t *testing.T) {
	l := settled(t, v1.StrategyCanary)
	l.Policy.Gateway, l.Policy.Steps = false, []rollout.Step{{Weight: 25, Pause: time.Minute}}
	l.Records = map[string]rollout.Record{"v1": {Run: "v1"}, "v2": {Run: "v2", Serves: []string{"v1"}}}
	l.Transformers = rollout.Transformers{Versions: []string{"v1", "v2"}, Hops: []rollout.Hop{{From: "v1", To: "v2"}}}
	l.Cluster.Holding = rollouttest.Lacking
	l.Declare("v2", 1)
	pass(t, l, 12)
	l.Ask(request.Abort, "")
	for range 12 {
		look(t, l)
		if w, there := l.Input().Workloads["v2"]; there && w.Ready > 0 && l.Last.Front != "v1" {
			t.Fatalf("the front selects %q, and v2 has %d ready pods: %s", l.Last.Front, w.Ready, l.Last.Reason)
		}
		l.Cluster.Pass(5 * time.Second)
	}
}

// A version of the contract's run is asked for nothing, nor is one that no chain leads to.
func TestNothingIsAskedWithoutABreak(t *testing.T) {
	for name, change := range map[string]func(*rollouttest.Life){
		"one run":          func(l *rollouttest.Life) { l.Records = map[string]rollout.Record{} },
		"no recorded pair": func(l *rollouttest.Life) { l.Transformers = rollout.Transformers{} },
		"a user has allowed it": func(l *rollouttest.Life) {
			l.Records["v2"] = rollout.Record{Run: "v2", Held: breaking, AllowedBy: "jane"}
		},
	} {
		t.Run(name, func(t *testing.T) {
			l := covered(t, v1.StrategyCanary)
			change(l)
			l.Cluster.Holding = rollouttest.Mute
			l.Declare("v2", 1)
			for range 12 {
				pass(t, l, 1)
				if p := planOf(l, "v2"); p != nil && p.ReportEvery != 0 {
					t.Fatalf("its pods are asked: %s", l.Last.Reason)
				}
			}
			if weightOf(&l.Last, "v2") == 0 {
				t.Errorf("it has no weight: %s", l.Last.Reason)
			}
		})
	}
}

// Where the operator takes records for proof, the status says so.
func TestDeclaredTransformersAreNamed(t *testing.T) {
	l := covered(t, v1.StrategyCanary)
	l.Transformers.Declared, l.Cluster.Holding = true, rollouttest.Mute
	l.Declare("v2", 1)
	pass(t, l, 8)
	if notes := strings.Join(l.Last.Notes, " "); weightOf(&l.Last, "v2") == 0 || !strings.Contains(notes, "v2 counts as holding v1→v2 because it is recorded") {
		t.Errorf("%d %%, %q", weightOf(&l.Last, "v2"), notes)
	}
}

// Under RollingUpdate a pod serves once it is ready: a version that needs transformers does
// not begin there. One that has begun goes on.
func TestRollingUpdateRefusesTransformers(t *testing.T) {
	l := covered(t, v1.StrategyRollingUpdate)
	l.Declare("v2", 1)
	pass(t, l, 6)
	wantWaiting(t, l, "v2 needs v1→v2 for callers of v1, and under RollingUpdate its pods would serve before they report")
	if got := l.State.Rollout.Stable.Version; got != "v1" || l.State.Rollout.Target != nil || l.Input().Workloads[v1.WorkloadMain].Unit.Version != "v1" {
		t.Fatalf("stable is %s, target %+v", got, l.State.Rollout.Target)
	}
	l.Transformers.Declared = true
	look(t, l)
	if l.State.Rollout.Target == nil {
		t.Fatalf("it does not begin: %s", l.Last.Reason)
	}
	l.Transformers.Declared = false
	pass(t, l, 20)
	if got := l.State.Rollout.Stable.Version; got != "v2" {
		t.Errorf("stable is %s: %s", got, l.Last.Reason)
	}
}
