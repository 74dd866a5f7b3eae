package rollout_test

import (
	"encoding/json"
	"math/rand"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/detector"
	"gati.dev/gati/internal/testing/rollouttest"
	"gati.dev/gati/pkg/analysis"
	"gati.dev/gati/pkg/request"
	"gati.dev/gati/pkg/rollout"
)

// judged is a settled Canary with the default analysis of one success rate.
func judged(t *testing.T) *rollouttest.Life {
	t.Helper()
	l, least := settled(t, v1.StrategyCanary), 99.0
	l.Policy.Steps = []rollout.Step{{Weight: 10, Pause: 5 * time.Minute}, {Weight: 50, Pause: 10 * time.Minute}}
	l.Policy.Analysis = &rollout.AnalysisPolicy{
		Interval: 15 * time.Second, Alpha: 0.01, Detect: 5, Inconclusive: v1.InconclusivePass, NoData: v1.NoDataWait,
		Window: time.Minute, FailureLimit: 2, MinSamples: 20,
		Metrics: []rollout.Metric{{Name: "success rate", Kind: rollout.SuccessRate, Min: &least}},
	}
	l.Cluster.Load.PerSecond = 5
	l.Cluster.Load.Bad = map[string]float64{}
	return l
}

// metricOf returns the status of the first metric.
func metricOf(t *testing.T, l *rollouttest.Life) v1.MetricStatus {
	t.Helper()
	if r := l.State.Rollout; len(r.Analysis) > 0 {
		return r.Analysis[0]
	}
	t.Fatalf("no metric: %s", l.Last.Reason)
	return v1.MetricStatus{}
}

// serving returns the stable version, and why another one was rejected.
func serving(l *rollouttest.Life) (version, rejected string) {
	r := l.State.Rollout
	if len(r.Rejected) > 0 {
		rejected = r.Rejected[0].Reason
	}
	return r.Stable.Version, rejected
}

// TestAHealthyCanaryIsPromoted holds that a version with half of the allowed failures
// passes every step by evidence.
func TestAHealthyCanaryIsPromoted(t *testing.T) {
	l := judged(t)
	l.Cluster.Load.PerSecond = 50
	l.Cluster.Load.Bad["v2-r1"] = 0.005
	l.Declare("v2", 1)
	pass(t, l, 110)
	version, why := serving(l)
	if s := metricOf(t, l); version != "v2" || s.Verdict != v1.AnalysisPass || s.Counted.Missing != 0 {
		t.Errorf("%s serves (%s): %+v", version, why, s)
	}
	for _, e := range l.State.Rollout.History {
		if e.What == "Inconclusive" {
			t.Errorf("a step passed without evidence: %s", e.Why)
		}
	}
}

// TestAFaultyCanaryGoes holds that 30 % failures at a weight of 10 are gone within five
// intervals with traffic, and that the reason has the counts of both versions.
func TestAFaultyCanaryGoes(t *testing.T) {
	l := judged(t)
	l.Cluster.Load.PerSecond = 50
	l.Cluster.Load.Bad["v2-r1"] = 0.3
	l.Declare("v2", 1)
	looks := 0
	for weightOf(&l.Last, "v2") == 0 {
		pass(t, l, 1)
	}
	for ; looks < 40 && len(l.State.Rollout.Rejected) == 0; looks++ {
		look(t, l)
		l.Cluster.Pass(5 * time.Second)
	}
	version, why := serving(l)
	if intervals := looks / 3; version != "v1" || intervals > 6 { // One of them has no traffic yet.
		t.Errorf("%s serves after %d intervals", version, intervals)
	}
	for _, want := range []string{"its success rate is 70", "required: at least 99 %", "requests bad", "of the stable version 0 of", "against a healthy version"} {
		if !strings.Contains(why, want) {
			t.Errorf("%q is not in %q", want, why)
		}
	}
}

// TestACommonFaultIsNoFaultOfTheVersion holds that a comparison causes no rollback for
// a fault of both versions, and that an absolute bound reports that stable is no
// better.
func TestACommonFaultIsNoFaultOfTheVersion(t *testing.T) {
	within := 1.0
	l := judged(t)
	l.Policy.Steps = []rollout.Step{{Weight: 50, Pause: 20 * time.Minute}}
	l.Policy.Analysis.Metrics = []rollout.Metric{{Name: "success rate", Kind: rollout.SuccessRate, Within: &within}}
	l.Cluster.Load.Bad["v2-r1"], l.Cluster.Load.Bad["v1-r1"] = 0.2, 0.2
	l.Declare("v2", 1)
	pass(t, l, 60)
	if len(l.State.Rollout.Rejected) > 0 {
		t.Errorf("rolled back: %s", l.State.Rollout.Rejected[0].Reason)
	}
	if s := metricOf(t, l); s.Counted.Stable == nil || s.Counted.Stable.Bad == 0 || s.Counted.Comparison == "" {
		t.Errorf("the versions were not compared: %+v", s.Counted)
	}
	l = judged(t)
	l.Policy.Steps = []rollout.Step{{Weight: 50, Pause: 20 * time.Minute}}
	l.Cluster.Load.Bad["v1-r1"] = 0.2
	l.Declare("v2", 1)
	pass(t, l, 20)
	l.Cluster.Load.Bad["v2-r1"] = 0.2
	pass(t, l, 20)
	if _, why := serving(l); !strings.Contains(why, "the stable version is no better") {
		t.Errorf("the reason is %q", why)
	}
}

// TestTheComparisonFindsAWorseVersion holds that a version with many more failures than
// stable goes, without any absolute bound.
func TestTheComparisonFindsAWorseVersion(t *testing.T) {
	within := 1.0
	l := judged(t)
	l.Policy.Steps = []rollout.Step{{Weight: 20, Pause: 20 * time.Minute}}
	l.Policy.Analysis.Metrics = []rollout.Metric{{Name: "success rate", Kind: rollout.SuccessRate, Within: &within}}
	l.Cluster.Load.PerSecond = 50
	l.Cluster.Load.Bad["v2-r1"], l.Cluster.Load.Bad["v1-r1"] = 0.2, 0.002
	l.Declare("v2", 1)
	pass(t, l, 100)
	if version, why := serving(l); version != "v1" || !strings.Contains(why, "twice those of stable") {
		t.Errorf("%s serves: %q", version, why)
	}
}

// TestAComparisonRestsAtFullWeight holds that a step of 100 % ends although the stable
// version has no request left to compare with, and that an absolute bound still judges.
func TestAComparisonRestsAtFullWeight(t *testing.T) {
	within := 1.0
	for _, absolute := range []bool{false, true} {
		l := judged(t)
		l.Policy.Steps = []rollout.Step{{Weight: 50, Pause: time.Minute}, {Weight: 100, Pause: 10 * time.Minute}}
		l.Policy.Analysis.Metrics[0].Within = &within
		if !absolute {
			l.Policy.Analysis.Metrics[0].Min = nil
		}
		l.Cluster.Load.PerSecond = 50
		l.Declare("v2", 1)
		for weightOf(&l.Last, "v2") < 100 {
			pass(t, l, 1)
		}
		l.Cluster.Load.Bad["v2-r1"] = 0.2
		pass(t, l, 100)
		want := map[bool]string{false: "v2", true: "v1"}[absolute]
		if version, why := serving(l); version != want {
			t.Errorf("with an absolute bound %v, %s serves: %s %s", absolute, version, why, l.Last.Reason)
		}
	}
}

// passNoisy lets an interval go by in which each request to v2 is bad with a chance.
func passNoisy(t *testing.T, l *rollouttest.Life, random *rand.Rand, bad float64) {
	t.Helper()
	n, hit := int(10*l.Cluster.Load.PerSecond*float64(max(1, weightOf(&l.Last, "v2")))/100), 0
	for range n {
		if random.Float64() < bad {
			hit++
		}
	}
	l.Cluster.Load.Bad["v2-r1"] = float64(hit) / float64(max(1, n))
	pass(t, l, 1)
}

// TestAFaultThatBeginsInALaterStep holds what is promised of a fault of `detect` times the allowed
// share that begins with a step after a long one. The requests of the whole rollout count: a short
// step ends before the fault has shown, and it is found at 100 % before rollbackWindow is over; a
// step of five minutes shows it. Both in 90 % of the rollouts.
func TestAFaultThatBeginsInALaterStep(t *testing.T) {
	const runs, least = 40, 33 // 90 %, within the error of the simulation.
	for _, pause := range []time.Duration{time.Minute, 5 * time.Minute} {
		found, inStep := 0, 0
		var after []int
		for seed := range int64(runs) {
			rejected, looks := findLateFault(t, pause, seed)
			found += rejected
			if after = append(after, looks); looks == 0 {
				inStep += rejected
			}
		}
		slices.Sort(after)
		t.Logf("a step of %s: %d of %d faults are found, %d of them in their step, half of all within %d s of 100 %%", pause, found, runs, inStep, 10*after[runs/2])
		if found < least || pause > time.Minute && inStep < least {
			t.Errorf("a step of %s: %d of %d faults are found, %d of them in their step", pause, found, runs, inStep)
		}
	}
}

// findLateFault returns how many versions are rejected, and after how many looks at 100 %.
func findLateFault(t *testing.T, pause time.Duration, seed int64) (rejected, looks int) {
	t.Helper()
	random, l := rand.New(rand.NewSource(seed)), judged(t)
	l.Policy.Steps = []rollout.Step{{Weight: 10, Pause: time.Hour}, {Weight: 50, Pause: pause}}
	l.Policy.RollbackWindow, l.Cluster.Load.PerSecond = 10*time.Minute, 20
	bad := 0.001
	l.Declare("v2", 1)
	for len(l.State.Rollout.Rejected) == 0 && looks < 60 {
		weight := weightOf(&l.Last, "v2")
		if weight >= 50 {
			bad = 0.05
		}
		if weight == 100 {
			looks++
		}
		passNoisy(t, l, random, bad)
	}
	return len(l.State.Rollout.Rejected), looks
}

// TestTooFewRequests holds what a step without enough requests leads to.
func TestTooFewRequests(t *testing.T) {
	for policy, want := range map[v1.InconclusivePolicy]struct{ version, says string }{
		v1.InconclusivePass: {"v2", "too few requests to judge its success rate"},
		v1.InconclusiveWait: {"v1", "promote it, or send it requests"},
		v1.InconclusiveFail: {"v1", "inconclusive counts as failed"},
	} {
		for _, rate := range []float64{1, 0.05, 0.0000001} {
			l := judged(t)
			l.Cluster.Load.PerSecond, l.Policy.Analysis.Inconclusive = rate, policy
			l.Declare("v2", 1)
			began := l.Cluster.Now
			for len(l.State.Rollout.Rejected) == 0 && l.State.Rollout.Stable.Version == "v1" && l.Cluster.Now.Sub(began) < 25*time.Minute {
				pass(t, l, 1)
			}
			version, why := serving(l)
			why += l.Last.Reason
			for _, e := range l.State.Rollout.History {
				why += e.Why
			}
			if version != want.version || !strings.Contains(why, want.says) {
				t.Errorf("%s at %g/s: %s serves, %q is not in %q", policy, rate, version, want.says, why)
			}
		}
	}
}

// TestDryRunActsOnNothing holds that a rejected version is reported, once, and goes on.
func TestDryRunActsOnNothing(t *testing.T) {
	l := judged(t)
	l.Policy.Analysis.DryRun = true
	l.Cluster.Load.Bad["v2-r1"] = 0.5
	l.Declare("v2", 1)
	pass(t, l, 110)
	told := 0
	for _, e := range l.State.Rollout.History {
		if e.What == "WouldRollBack" {
			told++
		}
	}
	if version, _ := serving(l); version != "v2" || told != 1 {
		t.Errorf("%s serves, told %d times", version, told)
	}
}

// TestASilentSourceRollsNothingBack holds that a source that is down stalls the rollout.
func TestASilentSourceRollsNothingBack(t *testing.T) {
	l := judged(t)
	l.Cluster.Load.Silent = true
	l.Declare("v2", 1)
	pass(t, l, 200)
	version, rejected := serving(l)
	if version != "v1" || rejected != "" || !l.Last.Stalled || !strings.Contains(l.Last.Reason, "the source is down") {
		t.Errorf("%s serves, rejected %q, stalled %v: %s", version, rejected, l.Last.Stalled, l.Last.Reason)
	}
	l.Cluster.Load.Silent = false
	pass(t, l, 200)
	if version, _ := serving(l); version != "v2" {
		t.Errorf("%s serves: %s", version, l.Last.Reason)
	}
}

// TestAnOlderAnalysisIsDropped holds that the state of an earlier release rolls nothing
// back, loses no step and is reported once.
func TestAnOlderAnalysisIsDropped(t *testing.T) {
	l := judged(t)
	l.Declare("v2", 1)
	for weightOf(&l.Last, "v2") == 0 {
		pass(t, l, 1)
	}
	pass(t, l, 3)
	step, since := l.State.Rollout.Step, l.State.Rollout.StepStartedAt
	old := metav1.Time{Time: l.Cluster.Now}
	l.State.Rollout.Analysis = []v1.MetricStatus{{
		Name: "success rate", Verdict: v1.AnalysisFail, Value: "95 %", Threshold: "at least 99 %", Samples: 20, Failures: 2, MeasuredAt: &old,
	}}
	pass(t, l, 4)
	told := 0
	for _, e := range l.State.Rollout.History {
		if e.What == "AnalysisRestarted" {
			told++
		}
	}
	r := l.State.Rollout
	if told != 1 || len(r.Rejected) > 0 || r.Step != step || !r.StepStartedAt.Equal(since) || r.Analysis[0].Counted == nil {
		t.Errorf("told %d times, %d rejected, step %d since %s: %+v", told, len(r.Rejected), r.Step, r.StepStartedAt, r.Analysis)
	}
}

// TestNothingIsCountedTwice holds, over random histories of readings, that what the state
// counts is what happened between the readings that it accepted: readings repeated, late,
// out of order, lost, decisions lost before they were persisted, counters that restart. The
// wealth is that of the accepted intervals.
func TestNothingIsCountedTwice(t *testing.T) {
	histories := int64(300)
	if detector.Enabled {
		histories = 20 // one goroutine
	}
	for seed := range histories {
		random := rand.New(rand.NewSource(seed))
		l := judged(t)
		l.Policy.Steps = []rollout.Step{{Weight: 50, Pause: time.Hour}}
		l.Policy.Analysis.DryRun = true
		l.Cluster.Load.Bad["v2-r1"] = random.Float64() / 50
		l.Declare("v2", 1)
		for weightOf(&l.Last, "v2") == 0 {
			pass(t, l, 1)
		}
		want := accounts{}
		if at := metricOf(t, l).Counted; at != nil && at.TargetCounters != nil {
			want.last = rollout.InstanceCounters{ID: l.Cluster.Counters()["v2"].Instances[0].ID}
		}
		var old []map[string]rollout.Counters
		for range 60 {
			l.Cluster.Pass(time.Duration(1+random.Intn(40)) * time.Second)
			if random.Intn(12) == 0 {
				l.Cluster.Recount("v2", 0, 0)
			}
			in := l.Input()
			old = append(old, in.Counters)
			switch random.Intn(5) {
			case 0:
				in.Counters = old[random.Intn(len(old))]
			case 1:
				in.Counters = nil
			}
			d := rollout.Next(in)
			if again := rollout.Next(withState(in, d.State)); !sameJSON(t, again.Rollout.Analysis, d.Rollout.Analysis) {
				t.Fatalf("seed %d: a second look counts more", seed)
			}
			if random.Intn(6) == 0 {
				continue // Killed before the decision was persisted.
			}
			want.add(t, l.State.Rollout.Analysis, d.Rollout.Analysis, in.Counters["v2"])
			l.State = d.State
		}
		want.check(t, seed, metricOf(t, l))
	}
}

func withState(in rollout.Input, s rollout.State) rollout.Input {
	in.State = s
	return in
}

func sameJSON(t *testing.T, a, b any) bool {
	t.Helper()
	left, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	right, err := json.Marshal(b)
	if err != nil {
		t.Fatal(err)
	}
	return string(left) == string(right)
}

// accounts keeps its own count of the accepted intervals.
type accounts struct {
	state analysis.State
	last  rollout.InstanceCounters
}

// add counts what the target had between the readings of two accepted ends.
func (a *accounts) add(t *testing.T, was, is []v1.MetricStatus, c rollout.Counters) {
	t.Helper()
	if len(is) == 0 || is[0].MeasuredAt == nil {
		return
	}
	if len(was) > 0 && was[0].MeasuredAt != nil && !was[0].MeasuredAt.Before(is[0].MeasuredAt) {
		if !was[0].MeasuredAt.Equal(is[0].MeasuredAt) {
			t.Fatalf("an interval ended at %s after one at %s", is[0].MeasuredAt, was[0].MeasuredAt)
		}
		return
	}
	now, before := c.Instances[0], rollout.InstanceCounters{}
	switch {
	case len(was) == 0 || was[0].MeasuredAt == nil:
		before = now // It is what the first interval begins with.
	case now.ID == a.last.ID:
		before = a.last
	case !now.Started.After(was[0].MeasuredAt.Time):
		before = now // It is not known what it had counted by then.
	}
	allowed := 0.01
	q := analysis.Question{Allowed: &allowed, Alpha: 0.01, Detect: 5}
	a.state = q.Observe(a.state, analysis.Interval{Target: analysis.Counts{
		Requests: now.Requests - before.Requests, Bad: now.Errors - before.Errors,
	}})
	a.last = now
}

func (a *accounts) check(t *testing.T, seed int64, s v1.MetricStatus) {
	t.Helper()
	if got, want := s.Counted.Target, v1.RequestCounts(a.state.Target); got != want {
		t.Fatalf("seed %d: counted %+v, want %+v", seed, got, want)
	}
	if s.Counted.Absolute != a.state.Absolute.String() {
		t.Fatalf("seed %d: the wealth is %s, want %s", seed, s.Counted.Absolute, a.state.Absolute)
	}
}

// TestAFrozenRolloutIsNotRejectedForSilence holds that the time of a pause does not count where
// missing data, or too few requests, fail a step: not during the pause, and not after it.
func TestAFrozenRolloutIsNotRejectedForSilence(t *testing.T) {
	for name, change := range map[string]func(*rollouttest.Life){
		"no data": func(l *rollouttest.Life) {
			l.Policy.Analysis.NoData = v1.NoDataFail
			l.Cluster.Load.PerSecond = 0
			l.Cluster.Source = rollouttest.NoSource
		},
		"too few requests": func(l *rollouttest.Life) {
			l.Policy.Analysis.Inconclusive = v1.InconclusiveFail
			l.Cluster.Load.PerSecond = 0.01
		},
	} {
		t.Run(name, func(t *testing.T) {
			l := judged(t)
			change(l)
			l.Declare("v2", 1)
			pass(t, l, 12)
			if got := weightOf(&l.Last, "v2"); got != 10 {
				t.Fatalf("v2 has %d %%, want 10: %s", got, l.Last.Reason)
			}
			handle(t, l, request.Pause, "")
			pass(t, l, 1000)
			if got := l.State.Rollout.Rejected; len(got) > 0 {
				t.Fatalf("rejected while it was paused: %+v", got)
			}
			handle(t, l, request.Resume, "")
			pass(t, l, 6)
			if got := l.State.Rollout.Rejected; len(got) > 0 {
				t.Errorf("rejected a minute after it was resumed, with four minutes of its step left: %+v", got)
			}
			pass(t, l, 1000)
			if got := l.State.Rollout.Rejected; len(got) == 0 {
				t.Errorf("not rejected after its own time: %s", l.Last.Reason)
			}
		})
	}
}
