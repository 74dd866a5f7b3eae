package rollout_test

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"
	"time"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/rollouttest"
	"gati.dev/gati/pkg/defaulting"
	"gati.dev/gati/pkg/facts"
	"gati.dev/gati/pkg/request"
	"gati.dev/gati/pkg/rollout"
)

// analysisOf returns the analysis of a handler with this rollout in its spec.
func analysisOf(t *testing.T, r v1.Rollout) *rollout.AnalysisPolicy {
	t.Helper()
	h, errs := defaulting.ResolveHandler(&v1.GatiHandlerSpec{Path: "/a", Image: "i:v1", Rollout: &r}, facts.Facts{})
	if errs != nil {
		t.Fatal(errs)
	}
	return rollout.PolicyFor(h).Analysis
}

// unconfigured is a Canary without an analysis, whose first step has a weight. Every so many of
// the requests to v2 are bad.
func unconfigured(t *testing.T, weight int32, perSecond, bad float64) *rollouttest.Life {
	t.Helper()
	l := settled(t, v1.StrategyCanary)
	l.Policy.Steps = []rollout.Step{{Weight: weight, Pause: 5 * time.Minute}, {Weight: 60, Pause: 10 * time.Minute}}
	l.Policy.Analysis = analysisOf(t, v1.Rollout{Strategy: v1.StrategyCanary})
	l.Cluster.Load.PerSecond, l.Cluster.Load.Bad = perSecond, map[string]float64{"v2-r1": bad}
	return l
}

// finish lets a rollout of v2 go on until a version serves that stays, and returns which, how
// long v2 had a weight and how many bad requests its users had.
func finish(t *testing.T, l *rollouttest.Life) (version string, took time.Duration) {
	t.Helper()
	l.Declare("v2", 1)
	for weightOf(&l.Last, "v2") == 0 {
		pass(t, l, 1)
	}
	began := l.Cluster.Now
	for l.Cluster.Now.Sub(began) < time.Hour && len(l.State.Rollout.Rejected) == 0 {
		pass(t, l, 1)
		if r := l.State.Rollout; took == 0 && r.Phase == v1.RolloutStable && r.Stable.Version == "v2" {
			took = l.Cluster.Now.Sub(began)
		}
	}
	if took == 0 {
		took = l.Cluster.Now.Sub(began)
	}
	version, _ = serving(l)
	return version, took
}

// readEvery lets the machine see the counters as the hub of the sources reads them: as a step
// begins, and again and again after an interval.
func readEvery(interval time.Duration) rollouttest.Machine {
	var last map[string]rollout.Counters
	var at time.Time
	return before(func(in *rollout.Input) {
		ro := in.State.Rollout
		begins := ro != nil && ro.StepStartedAt != nil && in.Now.After(ro.StepStartedAt.Time) && !at.After(ro.StepStartedAt.Time)
		if begins || in.Now.Sub(at) >= interval {
			last, at = in.Counters, in.Now
		}
		in.Counters = last
	})
}

// TestACanaryWithoutAnAnalysisIsJudged holds that a version that fails every request is never
// the one that stays, at any rate and weight, that it is gone within a minute at 20 requests a
// second and more, and that a healthy one takes no longer than where nothing judges it.
func TestACanaryWithoutAnAnalysisIsJudged(t *testing.T) {
	for _, perSecond := range []float64{0.05, 0.5, 5, 20, 50} {
		for _, weight := range []int32{5, 10, 50} {
			t.Run(fmt.Sprintf("%g a second at %d %%", perSecond, weight), func(t *testing.T) {
				version, took := finish(t, unconfigured(t, weight, perSecond, 1))
				if version != "v1" {
					t.Errorf("%s serves after %s with every request bad", version, took)
				}
				unjudged := unconfigured(t, weight, perSecond, 0)
				unjudged.Policy.Analysis = nil
				_, want := finish(t, unjudged)
				if version, took = finish(t, unconfigured(t, weight, perSecond, 0)); version != "v2" || took != want {
					t.Errorf("%s serves after %s without a failure, after %s without an analysis", version, took, want)
				}
				longest := time.Duration(0)
				for since := range 10 {
					if perSecond < 20 {
						break
					}
					l := unconfigured(t, weight, perSecond, 1)
					l.Next = readEvery(l.Policy.Analysis.Interval)
					l.Cluster.Load.Bad["v1-r1"] = 0.005
					passSeconds(t, l, since)
					l.Declare("v2", 1)
					longest = max(longest, dwell(t, l))
				}
				if longest > time.Minute {
					t.Errorf("gone after %s with every request bad", longest)
				}
				t.Logf("gone after at most %s", longest)
			})
		}
	}
}

func passSeconds(t *testing.T, l *rollouttest.Life, n int) {
	t.Helper()
	for range n {
		look(t, l)
		l.Cluster.Pass(time.Second)
	}
}

// dwell returns how long v2 has a weight, a look each second, at most ten minutes.
func dwell(t *testing.T, l *rollouttest.Life) (out time.Duration) {
	t.Helper()
	for weightOf(&l.Last, "v2") == 0 {
		passSeconds(t, l, 1)
	}
	for ; weightOf(&l.Last, "v2") > 0 && out < 10*time.Minute; out += time.Second {
		passSeconds(t, l, 1)
	}
	return out
}

// TestBurstsOfBothVersionsRollNothingBack holds that no version is rolled back for bursts of an
// interval that both have, each at times of its own and a fifth of the time.
func TestBurstsOfBothVersionsRollNothingBack(t *testing.T) {
	for seed := range int64(40) {
		random := rand.New(rand.NewSource(seed))
		l := unconfigured(t, []int32{5, 10, 50}[seed%3], 20, 0)
		l.Policy.Steps[0].Pause = time.Hour
		l.Declare("v2", 1)
		for range 300 {
			for _, of := range []string{"v1-r1", "v2-r1"} {
				l.Cluster.Load.Bad[of] = float64(random.Intn(5) / 4)
			}
			pass(t, l, 1)
		}
		if version, why := serving(l); why != "" {
			t.Errorf("seed %d: %s serves: %s", seed, version, why)
		}
	}
}

// TestTheDefaultAnalysisIsACanarysOwn holds where there is one.
func TestTheDefaultAnalysisIsACanarysOwn(t *testing.T) {
	off, on := false, true
	metrics := []v1.AnalysisMetric{{SuccessRate: &v1.SuccessRate{Min: "99"}}}
	for name, tc := range map[string]struct {
		of               v1.Rollout
		judges, hasFloor bool
	}{
		"a Canary":                  {v1.Rollout{Strategy: v1.StrategyCanary}, true, true},
		"one that wants none":       {v1.Rollout{Strategy: v1.StrategyCanary, Analysis: &v1.Analysis{Enabled: &off}}, false, false},
		"one that wants none now":   {v1.Rollout{Strategy: v1.StrategyCanary, Analysis: &v1.Analysis{Enabled: &off, Metrics: metrics}}, false, false},
		"one with its own":          {v1.Rollout{Strategy: v1.StrategyCanary, Analysis: &v1.Analysis{Metrics: metrics}}, true, false},
		"one that says so":          {v1.Rollout{Strategy: v1.StrategyCanary, Analysis: &v1.Analysis{Enabled: &on, Metrics: metrics}}, true, false},
		"a rolling update":          {v1.Rollout{}, false, false},
		"versions by their records": {v1.Rollout{Strategy: v1.StrategyManual}, false, false},
	} {
		p := analysisOf(t, tc.of)
		if (p != nil) != tc.judges || p != nil && (p.Derived != tc.hasFloor || p.Metrics[0].Floor != tc.hasFloor) {
			t.Errorf("%s: %+v", name, p)
		}
	}
}

// TestWhatIsNotMeasuredDecidesNothing holds that a version whose requests nothing counts is
// promoted by its pods alone, without delay, that this is told, and that a source without an
// answer is none as long as it never had one.
func TestWhatIsNotMeasuredDecidesNothing(t *testing.T) {
	for name, change := range map[string]func(*rollouttest.Life){
		"no source":       func(l *rollouttest.Life) { l.Cluster.Load.PerSecond = 0 },
		"a silent source": func(l *rollouttest.Life) { l.Cluster.Load.Silent = true },
	} {
		unjudged := unconfigured(t, 10, 5, 1)
		unjudged.Policy.Analysis = nil
		_, want := finish(t, unjudged)
		l := unconfigured(t, 10, 5, 1)
		change(l)
		l.Declare("v2", 1)
		pass(t, l, 6)
		if s := metricOf(t, l); !strings.Contains(s.Message, "judged by its pods alone") || l.Last.Stalled || len(l.Last.Unmeasured) > 0 {
			t.Errorf("%s: %+v, unmeasured %v", name, s, l.Last.Unmeasured)
		}
		l = unconfigured(t, 10, 5, 1)
		change(l)
		if version, took := finish(t, l); version != "v2" || took != want {
			t.Errorf("%s: %s serves after %s, not %s", name, version, took, want)
		}
		if since := rollout.WatchedSince(l.State); since != nil {
			t.Errorf("%s: the promoted version is judged", name)
		}
	}
	l := unconfigured(t, 10, 1e-6, 0)
	if version, _ := finish(t, l); version != "v2" || !told(l, "too few requests to judge its success rate") {
		t.Errorf("without traffic, %s serves, and the history has %+v", version, l.State.Rollout.History)
	}
}

func told(l *rollouttest.Life, what string) bool {
	for _, e := range l.State.Rollout.History {
		if strings.Contains(e.Why, what) {
			return true
		}
	}
	return false
}

// TestARolloutUnderWayAtTheUpgradeIsAsBefore holds that a Canary that began with no analysis
// ends with none, and that the next one is judged.
func TestARolloutUnderWayAtTheUpgradeIsAsBefore(t *testing.T) {
	l := unconfigured(t, 10, 20, 1)
	derived := l.Policy.Analysis
	l.Policy.Analysis = nil
	l.Declare("v2", 1)
	pass(t, l, 12)
	l.Policy.Analysis = derived
	pass(t, l, 120)
	if version, why := serving(l); version != "v2" || len(l.State.Rollout.Analysis) > 0 {
		t.Fatalf("%s serves: %s %+v", version, why, l.State.Rollout.Analysis)
	}
	l.Cluster.Load.Bad["v3-r1"] = 1
	l.Cluster.Load.Bad["v2-r1"] = 0
	l.Declare("v3", 1)
	pass(t, l, 60)
	if version, why := serving(l); version != "v2" || !strings.Contains(why, "success rate") {
		t.Errorf("%s serves, with every request to v3 bad: %q", version, why)
	}
}

// TestTheFloorIsForWhatCannotBeCompared holds that a common fault rolls nothing back, however
// large, and that a version that cannot be compared is rolled back where most requests fail.
func TestTheFloorIsForWhatCannotBeCompared(t *testing.T) {
	for _, tc := range []struct {
		bad, stableBad float64
		isMute         bool
		want           string
	}{{0.9, 0.9, false, "v2"}, {0.9, 0, true, "v1"}, {0.3, 0, true, "v2"}, {0.3, 0, false, "v1"}} {
		l := unconfigured(t, 10, 20, tc.bad)
		l.Policy.RollbackWindow = time.Second
		l.Cluster.Load.Bad["v1-r1"] = tc.stableBad
		if tc.isMute {
			l.Cluster.Mute("v1", 0)
		}
		if version, took := finish(t, l); version != tc.want {
			_, why := serving(l)
			t.Errorf("%+v: %s serves after %s: %s", tc, version, took, why)
		}
	}
}

// TestAStableVersionWithoutRequestsIsNoComparison holds that a version whose every request is bad
// goes, although the stable one counts none to compare with.
func TestAStableVersionWithoutRequestsIsNoComparison(t *testing.T) {
	l := unconfigured(t, 10, 20, 1)
	l.Declare("v2", 1)
	for weightOf(&l.Last, "v2") == 0 {
		pass(t, l, 1)
	}
	idle := l.Input().Counters["v1"].Instances
	for range 40 {
		l.Cluster.Pass(15 * time.Second)
		in := l.Input()
		stable := in.Counters["v1"]
		stable.Instances = idle
		in.Counters["v1"] = stable
		l.State = rollout.Next(in).State
	}
	if version, why := serving(l); version != "v1" || why == "" {
		t.Errorf("%s serves: %+v", version, metricOf(t, l))
	}
}

// TestASourceThatStopsHoldsTheRollout holds that a version whose requests were counted is not
// promoted while they are not.
func TestASourceThatStopsHoldsTheRollout(t *testing.T) {
	l := unconfigured(t, 10, 20, 0)
	l.Declare("v2", 1)
	for weightOf(&l.Last, "v2") == 0 {
		pass(t, l, 1)
	}
	pass(t, l, 6)
	l.Cluster.Load.Silent = true
	pass(t, l, 200)
	if version, why := serving(l); version != "v1" || why != "" || !l.Last.Stalled {
		t.Errorf("%s serves, stalled %v: %s", version, l.Last.Stalled, l.Last.Reason)
	}
}

// TestAVersionThatAnswersNothingIsNotPromoted holds that a version whose requests hang goes back,
// and that one that they do not reach is held, and said to be, until a user promotes it.
func TestAVersionThatAnswersNothingIsNotPromoted(t *testing.T) {
	for _, perSecond := range []float64{0.5, 5, 20, 50} {
		for _, weight := range []int32{5, 10, 50} {
			name := fmt.Sprintf("%g a second at %d %%", perSecond, weight)
			for _, share := range []float64{1, 0.5} {
				t.Run(fmt.Sprintf("%s, %g hang", name, share), func(t *testing.T) {
					l := unconfigured(t, weight, perSecond, 0)
					l.Cluster.Load.Hang = map[string]float64{"v2-r1": share}
					version, took := finish(t, l)
					t.Logf("gone after %s", took)
					if version != "v1" {
						t.Errorf("%s serves after %s: %s", version, took, l.Last.Reason)
					}
				})
			}
			t.Run(name+", lost", func(t *testing.T) {
				l := unconfigured(t, weight, perSecond, 0)
				l.Cluster.Load.Lost = map[string]float64{"v2-r1": 1}
				if version, _ := finish(t, l); version != "v1" || len(l.State.Rollout.Rejected) > 0 {
					t.Fatalf("%s serves: %s", version, l.Last.Reason)
				}
				w := l.State.Rollout.WaitingFor
				if w == nil || w.Reason != v1.WaitingForTraffic || !strings.Contains(w.Message, "it has answered none of some") {
					t.Errorf("waiting for %+v", w)
				}
				handle(t, l, request.Promote, "full")
				pass(t, l, 30)
				if version, _ := serving(l); version != "v2" {
					t.Errorf("promoted, %s serves: %s", version, l.Last.Reason)
				}
			})
		}
	}
}

// TestALostVersionGoesWhereTheGatewayIsTheOnlyPath holds that a version that no request reaches is
// gone within a minute where all callers come through the gateway, and that a gateway that
// takes twenty seconds to act on an accepted weight costs no version its rollout.
func TestALostVersionGoesWhereTheGatewayIsTheOnlyPath(t *testing.T) {
	for _, perSecond := range []float64{20, 50} {
		for _, weight := range []int32{5, 10, 50} {
			for _, isLate := range []bool{false, true} {
				l := unconfigured(t, weight, perSecond, 0)
				l.Policy.OnlyPath = true
				l.Next = readEvery(l.Policy.Analysis.Interval)
				l.Cluster.Load.Lost = map[string]float64{"v2-r1": 1}
				l.Declare("v2", 1)
				for weightOf(&l.Last, "v2") == 0 {
					passSeconds(t, l, 1)
				}
				if isLate {
					passSeconds(t, l, 20)
					l.Cluster.Load.Lost = nil
				}
				lasts := dwell(t, l)
				if version, why := serving(l); isLate && why != "" || !isLate && (lasts > time.Minute || version != "v1" || !strings.Contains(why, "spec.route.onlyPath")) {
					t.Errorf("%g a second at %d %%, late %v: %s serves after %s: %s", perSecond, weight, isLate, version, lasts, why)
				}
			}
		}
	}
}

// TestOpenStreamsAreNoFault holds that a version whose requests take long is promoted where those
// of the stable version do so as well.
func TestOpenStreamsAreNoFault(t *testing.T) {
	for _, weight := range []int32{5, 10, 50} {
		l := unconfigured(t, weight, 20, 0)
		l.Cluster.Load.Hang = map[string]float64{"v1-r1": 0.3, "v2-r1": 0.3}
		if version, took := finish(t, l); version != "v2" {
			t.Errorf("at %d %%, %s serves after %s: %+v", weight, version, took, l.State.Rollout.Rejected)
		}
	}
}

// TestAVersionWithAllTrafficHasNoShare holds that the callers of the stable version, which come past
// the gateway, do not hold a version that has all of the gateway's traffic, and gets none.
func TestAVersionWithAllTrafficHasNoShare(t *testing.T) {
	l := unconfigured(t, 10, 20, 0)
	l.Policy.Steps = []rollout.Step{{Weight: 100, Pause: time.Minute}}
	l.Cluster.Load.Lost = map[string]float64{"v2-r1": 1}
	l.Declare("v2", 1)
	for range 60 {
		pass(t, l, 1)
		l.Cluster.Send("v1", 0, 200, 0)
	}
	if version, _ := serving(l); version != "v2" {
		t.Errorf("%s serves: %s", version, l.Last.Reason)
	}
}

// TestASlowerVersionIsTold holds that the default analysis tells once of a version that is
// slower than stable, that this decides nothing, and that a version as fast as stable, or one
// whose latencies nothing measures, draws no word of it.
func TestASlowerVersionIsTold(t *testing.T) {
	for name, tc := range map[string]struct {
		slow    map[string]float64
		told    int
		advices int
	}{
		"slower":         {map[string]float64{"v2-r1": 0.3}, 1, 1},
		"as fast":        {map[string]float64{"v1-r1": 0.001, "v2-r1": 0.001}, 0, 1},
		"never measured": {nil, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			as := unconfigured(t, 10, 20, 0)
			_, want := finish(t, as)
			l := unconfigured(t, 10, 20, 0)
			l.Cluster.Load.Slow = tc.slow
			version, took := finish(t, l)
			if version != "v2" || took != want {
				t.Errorf("%s serves after %s, without latencies after %s", version, took, want)
			}
			told := 0
			for _, e := range l.State.Rollout.History {
				if e.What == "Advice" && strings.Contains(e.Why, "p99 latency against stable") {
					told++
				}
			}
			if told != tc.told || len(l.State.Rollout.Advice) != tc.advices {
				t.Errorf("told %d times, advice %+v", told, l.State.Rollout.Advice)
			}
		})
	}
}
