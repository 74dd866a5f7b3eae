package rollout_test

import (
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"
	"time"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/rollouttest"
	"gati.dev/gati/pkg/analysis"
	"gati.dev/gati/pkg/rollout"
)

// judgedPods is judged with so many pods of each version, and v2 at half of the traffic.
func judgedPods(t *testing.T, pods int, perSecond, bad float64) *rollouttest.Life {
	t.Helper()
	l := judged(t)
	l.Policy.Steps = []rollout.Step{{Weight: 50, Pause: time.Hour}}
	l.Cluster.Load.Pods, l.Cluster.Load.PerSecond, l.Cluster.Load.Bad["v2-r1"] = pods, perSecond, bad
	l.Declare("v2", 1)
	for weightOf(&l.Last, "v2") == 0 {
		pass(t, l, 1)
	}
	return l
}

// passIntervals lets intervals of 20 s go by, and looks at the end of each.
func passIntervals(t *testing.T, l *rollouttest.Life, n int) {
	t.Helper()
	for range n {
		l.Cluster.Pass(10 * time.Second)
		l.Cluster.Pass(10 * time.Second)
		look(t, l)
	}
}

// TestAPodThatChangesHidesNoOthers holds that 20 pods that fail half of their requests are
// found although one of them is replaced in each interval.
func TestAPodThatChangesHidesNoOthers(t *testing.T) {
	l := judgedPods(t, 20, 40, 0.5)
	for i := range 40 {
		l.Cluster.Recount("v2", i%20, 30*time.Second)
		passIntervals(t, l, 1)
	}
	if version, _ := serving(l); version != "v1" || len(l.State.Rollout.Rejected) == 0 {
		t.Errorf("%s serves, with half of its requests bad: %s", version, l.Last.Reason)
	}
}

// TestASilentPodHidesNoOthers holds that the pods that can be read decide, that their share is
// told, and that fewer than half of them are unknown.
func TestASilentPodHidesNoOthers(t *testing.T) {
	l := judgedPods(t, 10, 40, 0)
	l.Cluster.Mute("v2", 3)
	pass(t, l, 6)
	if s := metricOf(t, l); !strings.Contains(s.Message, "9 of 10") {
		t.Errorf("the share is not told: %+v", s)
	}
	l.Cluster.Load.Bad["v2-r1"] = 1
	pass(t, l, 20)
	if version, why := serving(l); version != "v1" || !strings.Contains(why, "success rate") {
		t.Errorf("%s serves, with all of its requests bad: %q, %s", version, why, l.Last.Reason)
	}
	l = judgedPods(t, 10, 40, 1)
	for i := range 6 {
		l.Cluster.Mute("v2", i)
	}
	pass(t, l, 20)
	if s := metricOf(t, l); len(l.State.Rollout.Rejected) > 0 || !strings.Contains(s.Message, "4 of 10") {
		t.Errorf("four of ten pods judge: %+v", s)
	}
}

// TestAResetIsNoFailure holds that a healthy version stays although counters of its pods begin
// at zero while the failures of others go on.
func TestAResetIsNoFailure(t *testing.T) {
	l := judgedPods(t, 2, 100, 0)
	for range 60 {
		l.Cluster.Send("v2", 1, 3, 3)
		l.Cluster.Pass(10 * time.Second)
		l.Cluster.Reset("v2", 0)
		l.Cluster.Pass(10 * time.Second)
		look(t, l)
		passIntervals(t, l, 1)
	}
	if got := l.State.Rollout.Rejected; len(got) > 0 {
		t.Errorf("a healthy version is rolled back: %s", got[0].Reason)
	}
}

// TestAColdPodCountsAtItsOwnWeight holds that pods that fail a few requests of their first
// seconds are no fault of a version of which 0.4 % of all requests fail.
func TestAColdPodCountsAtItsOwnWeight(t *testing.T) {
	l := judgedPods(t, 10, 200, 0)
	l.Cluster.Load.Cold = 0.15
	for i := range 60 {
		l.Cluster.Recount("v2", i%10, 0)
		passIntervals(t, l, 2)
	}
	if got := l.State.Rollout.Rejected; len(got) > 0 {
		t.Errorf("a healthy version is rolled back: %s", got[0].Reason)
	}
	if s := metricOf(t, l); s.Counted.Target.Requests < 200_000 || s.Counted.Target.Bad == 0 {
		t.Errorf("the requests of cold pods, or of others, do not count: %+v", s.Counted.Target)
	}
}

// passApart lets intervals of 15 s go by, in which stable is read so much earlier than v2.
func passApart(t *testing.T, l *rollouttest.Life, intervals int, apart time.Duration) {
	t.Helper()
	var stable []rollout.Counters
	for i := range 3 * intervals {
		l.Cluster.Pass(5 * time.Second)
		in := l.Input()
		if stable = append(stable, in.Counters["v1"]); i%3 == 2 && in.Counters["v1"].Known {
			in.Counters["v1"] = stable[max(0, i-int(apart/(5*time.Second)))]
			l.State = rollout.Next(in).State
		}
	}
}

// comparedAt is judgedPods of one pod that is compared as well.
func comparedAt(t *testing.T, bad float64) *rollouttest.Life {
	t.Helper()
	l, within := judgedPods(t, 1, 50, bad), 1.0
	l.Policy.Analysis.Metrics[0].Within = &within
	return l
}

// TestReadingsThatAreApartMakeLongerIntervals holds that the versions are compared in intervals
// of at least five times the time between the readings of both, that the absolute test does not
// wait for them, that a fault shows in them, and that it is told what was not compared.
func TestReadingsThatAreApartMakeLongerIntervals(t *testing.T) {
	for _, tc := range []struct {
		apart     time.Duration
		intervals int64
	}{{0, 40}, {5 * time.Second, 20}, {10 * time.Second, 10}, {15 * time.Second, 8}} {
		l := comparedAt(t, 0)
		passApart(t, l, 42, tc.apart)
		s := metricOf(t, l)
		absolute, _ := analysis.ParseWealth(s.Counted.Absolute)
		compared, _ := analysis.ParseWealth(s.Counted.Comparison)
		if absolute.Intervals < 40 || compared.Intervals < tc.intervals-1 || compared.Intervals > tc.intervals+2 {
			t.Errorf("%s apart: %d intervals, of which %d were compared, not %d: %+v", tc.apart, absolute.Intervals, compared.Intervals, tc.intervals, s.Counted)
		}
		least := 1.0
		l = comparedAt(t, 1)
		l.Policy.Analysis.Metrics[0].Min = &least
		passApart(t, l, 120, tc.apart)
		if s := metricOf(t, l); !slices.Contains(s.Counted.Rejected, "comparison") {
			t.Errorf("%s apart: all requests are bad, and the comparison says %s: %+v", tc.apart, s.Counted.Comparison, s.Counted)
		}
	}
	l := comparedAt(t, 0)
	l.Policy.Analysis.DryRun = true
	passApart(t, l, 8, 30*time.Second)
	if s := metricOf(t, l); !strings.Contains(s.Message, "compared 0 of ") || !strings.Contains(s.Message, "30s apart") {
		t.Errorf("it is not told that nothing was compared: %+v", s)
	}
}

// TestNothingPassesWithEveryRequestBad holds, over random weights, policies and sources that
// come and go, that no metric ever has the verdict Pass while its value is 0 %; and that this
// shows a machine that takes what was not compared, or not judged, for evidence.
func TestNothingPassesWithEveryRequestBad(t *testing.T) {
	for seed := range int64(60) {
		if why := findUndeservedPass(t, rollout.Next, seed); why != "" {
			t.Fatalf("seed %d: %s", seed, why)
		}
	}
	for name, fault := range map[string]rollouttest.Machine{
		"takes what was not compared for evidence": counting(func(_ *rollout.Input, s *v1.MetricStatus) {
			if s.Counted != nil {
				s.Counted.Compared += s.Counted.Target.Requests
			}
		}),
		"counts each request many times": counting(func(_ *rollout.Input, s *v1.MetricStatus) {
			if s.Counted != nil {
				s.Counted.Credited, s.Counted.Compared = 1e6, 1e6
			}
		}),
	} {
		isCaught := false
		for seed := int64(0); seed < 60 && !isCaught; seed++ {
			isCaught = findUndeservedPass(t, fault, seed) != ""
		}
		if !isCaught {
			t.Errorf("not caught: %s", name)
		}
	}
}

// findUndeservedPass returns where a metric has the verdict Pass although every request so far is
// bad; empty where none has.
func findUndeservedPass(t *testing.T, next rollouttest.Machine, seed int64) string {
	t.Helper()
	within, least := 1.0, 50.0
	random := rand.New(rand.NewSource(seed))
	l := judged(t)
	l.Next = next
	l.Policy.Steps = []rollout.Step{{Weight: []int32{10, 50, 80}[random.Intn(3)], Pause: time.Hour}, {Weight: 100, Pause: time.Hour}}
	metric := rollout.Metric{Name: "success rate", Kind: rollout.SuccessRate, Within: &within}
	if random.Intn(3) == 0 {
		metric.Min, metric.Floor = &least, random.Intn(2) == 0
	}
	l.Policy.Analysis.DryRun, l.Policy.Analysis.Metrics = true, []rollout.Metric{metric}
	l.Cluster.Load.Pods, l.Cluster.Load.PerSecond = 1+random.Intn(4), []float64{0.5, 20, 200}[random.Intn(3)]
	l.Cluster.Load.Bad["v2-r1"], l.Cluster.Load.Bad["v1-r1"] = 1, []float64{0, 0, 1}[random.Intn(3)]
	isStableSilent := random.Intn(3) == 0
	l.Declare("v2", 1)
	for range 150 {
		pod := random.Intn(l.Cluster.Load.Pods)
		switch random.Intn(8) {
		case 0:
			l.Cluster.Load.Silent = !l.Cluster.Load.Silent
		case 1:
			l.Cluster.Recount("v1", pod, 0)
		case 2:
			l.Cluster.Reset("v1", pod)
		case 3:
			l.Cluster.Mute("v1", pod)
		}
		for i := range l.Cluster.Load.Pods {
			if isStableSilent {
				l.Cluster.Mute("v1", i)
			}
		}
		pass(t, l, 1)
		for _, s := range l.State.Rollout.Analysis {
			if s.Verdict == v1.AnalysisPass && s.Counted.Target.Bad == s.Counted.Target.Requests {
				return fmt.Sprintf("%s at %s: %+v", s.Verdict, s.Value, s.Counted)
			}
		}
	}
	return ""
}
