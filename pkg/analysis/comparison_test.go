package analysis_test

import (
	"math"
	"sync"
	"testing"

	"gati.dev/gati/internal/testing/canarysim"
	"gati.dev/gati/pkg/analysis"
)

// pairOf returns an interval that is compared by itself.
func pairOf(target, stable analysis.Counts) analysis.Interval {
	return analysis.Interval{Target: target, Compared: &analysis.Pair{Target: target, Stable: stable}}
}

// compared returns how many of so many canaries the comparison rejects within an hour, and in
// how many it ever had the verdict Healthy while every request so far was bad. The stable version
// is read up to a slot earlier.
func compared(traffic canarysim.Traffic, runs int) (rejected, praised int) {
	within := 0.01
	q := analysis.Question{Within: &within, Alpha: alpha, Detect: 5}
	traffic.Seconds = seconds
	for seed := range uint64(runs) {
		canary := canarysim.NewCanary(traffic, seed, hour)
		var state analysis.State
		wasPraised, last := false, analysis.Counts{}
		for range hour {
			target, stable := canary.Next()
			if seed%2 == 1 {
				last, stable[canarysim.Slots-1] = stable[canarysim.Slots-1], last
			}
			beside := canarysim.Sum(stable)
			state = q.Observe(state, pairOf(canarysim.Sum(target), beside))
			wasPraised = wasPraised || q.Verdict(state) == analysis.Healthy && state.Target.Bad == state.Target.Requests
		}
		if q.Verdict(state) == analysis.WorseThanStable {
			rejected++
		}
		if wasPraised {
			praised++
		}
	}
	return rejected, praised
}

// minuteOf has the slots of a minute.
const minuteOf = 60 / seconds * canarysim.Slots

// TestACommonOutageIsNoFault holds the promise of the comparison: a version that is no worse
// than the stable one, or has fewer failures than within allows, is rolled back in at most 1 %
// of the rollouts, also where an outage hits both and where both have bursts of their own.
func TestACommonOutageIsNoFault(t *testing.T) {
	t.Parallel()
	const runs = 200
	outage := canarysim.Outage{Bad: 0.3, From: 20 * minuteOf, Long: 2 * minuteOf}
	short := canarysim.Outage{Bad: 1, From: 20*minuteOf + canarysim.Slots - 1, Long: 1, Every: 2 * minuteOf}
	for name, traffic := range map[string]canarysim.Traffic{
		"an outage of two minutes":            {Bad: 0.005, StableBad: 0.0005, Outage: outage},
		"outages of 3 s":                      {Bad: 0.005, StableBad: 0.0005, Outage: short},
		"twice the failures":                  {Bad: 0.06, StableBad: 0.03, Outage: outage},
		"bursts of both":                      {Bad: 0.02, StableBad: 0.02, Form: canarysim.WholeInterval, StableForm: canarysim.WholeInterval},
		"bursts of the new one within limits": {Bad: 0.01, Form: canarysim.WholeInterval},
	} {
		for _, weight := range []float64{1, 10, 50} {
			for _, rate := range []float64{5, 50} {
				traffic.Weights, traffic.PerSecond = []float64{weight}, rate
				n, _ := compared(traffic, runs)
				if n > mostFalse(runs) {
					t.Errorf("%s, %g %% of %g/s: %d of %d are rolled back", name, weight, rate, n, runs)
				}
			}
		}
	}
}

// TestBurstsOfEachVersionAreNoFault holds the promise where both versions fail in bursts of an
// interval, each at times of its own, however often.
func TestBurstsOfEachVersionAreNoFault(t *testing.T) {
	t.Parallel()
	const runs = 200
	var group sync.WaitGroup
	for _, form := range []canarysim.Burst{canarysim.HalfInterval, canarysim.WholeInterval} {
		for _, bad := range []float64{0.03, 0.1, 0.3, 0.5} {
			for _, weight := range []float64{1, 10, 50, 80} {
				for _, rate := range []float64{0.5, 20} {
					group.Go(func() {
						n, _ := compared(canarysim.Traffic{Bad: bad, StableBad: bad, Form: form, StableForm: form, Weights: []float64{weight}, PerSecond: rate}, runs)
						if n > mostFalse(runs) {
							t.Errorf("bursts of form %d, %g of the time, %g %% of %g/s: %d of %d are rolled back", form, bad, weight, rate, n, runs)
						}
					})
				}
			}
		}
	}
	group.Wait()
}

// mostFalse returns how many false rollbacks of so many the promise allows for, within the error
// of the simulation.
func mostFalse(runs int) int {
	return int(alpha*float64(runs) + 3*math.Sqrt(alpha*(1-alpha)*float64(runs)))
}

// TestTheComparisonFindsFaults holds how many faults it finds in an hour.
func TestTheComparisonFindsFaults(t *testing.T) {
	t.Parallel()
	const runs = 100
	for _, tc := range []struct {
		bad, weight, rate float64
		least             int
	}{
		{1, 10, 20, 100}, {1, 50, 20, 100}, {1, 80, 20, 100}, {0.3, 10, 20, 100}, {0.1, 10, 20, 95}, {0.1, 10, 2, 95}, {0.1, 50, 20, 100}, {0.1, 80, 20, 100}, {0.06, 10, 20, 90}, {0.1, 1, 20, 90},
	} {
		n, praised := compared(canarysim.Traffic{Bad: tc.bad, StableBad: 0.001, Weights: []float64{tc.weight}, PerSecond: tc.rate}, runs)
		t.Logf("%g bad at %g %% of %g/s: %d of %d", tc.bad, tc.weight, tc.rate, n, runs)
		if n < tc.least || praised > 0 {
			t.Errorf("%g bad at %g %% of %g/s: %d of %d are found, want %d; %d are healthy with every request bad", tc.bad, tc.weight, tc.rate, n, runs, tc.least, praised)
		}
	}
}

// TestWhatWasNotComparedIsNoEvidence holds that requests without any of the stable version in
// the same time, or while it fails as well, say nothing of a version that is only compared.
func TestWhatWasNotComparedIsNoEvidence(t *testing.T) {
	within, none := 0.01, 0.0
	good, bad := analysis.Counts{Requests: 100}, analysis.Counts{Requests: 100, Bad: 100}
	for name, in := range map[string]analysis.Interval{
		"stable is unknown":     {Target: good},
		"stable has no request": pairOf(good, analysis.Counts{}),
		"stable fails as well":  pairOf(bad, bad),
	} {
		q := analysis.Question{Within: &within, Alpha: alpha, Detect: 5}
		var s analysis.State
		for range 1000 {
			s = q.Observe(s, in)
		}
		if share, shows := q.VisibleFault(s); q.Verdict(s) != analysis.Inconclusive || shows {
			t.Errorf("%s: verdict %v, a fault of %g would show", name, q.Verdict(s), share)
		}
	}
	q := analysis.Question{Within: &none, Alpha: alpha, Detect: 5}
	var s analysis.State
	for range 20 {
		s = q.Observe(s, pairOf(good, good))
	}
	if q.Verdict(s) != analysis.Healthy || s.Comparison.Odds() > 1 {
		t.Errorf("without a failure, verdict %v at odds of %g", q.Verdict(s), s.Comparison.Odds())
	}
	for range 20 {
		s = q.Observe(s, pairOf(analysis.Counts{Requests: 100, Bad: 5}, analysis.Counts{Requests: 900}))
	}
	if q.Verdict(s) != analysis.WorseThanStable {
		t.Errorf("within 0 and with failures that stable has not: verdict %v at odds of %g", q.Verdict(s), s.Comparison.Odds())
	}
}

// TestComparedRequestsHavePower holds that a fault of `detect` shows to the comparison in 90 % of
// the rollouts by the time that it lets one pass, and how soon a healthy version passes.
func TestComparedRequestsHavePower(t *testing.T) {
	t.Parallel()
	const runs = 100
	for _, within := range []float64{0.05, 0.01, 0.001} {
		for _, weight := range []float64{1, 10, 50} {
			for _, perInterval := range []float64{5, 50, 500} {
				q := analysis.Question{Within: &within, Alpha: alpha, Detect: 5}
				traffic := canarysim.Traffic{PerSecond: perInterval / seconds * 100 / weight, Seconds: seconds, Weights: []float64{weight}, Bad: min(10*within, 0.5+within), StableBad: within / 10}
				found := 0
				for seed := range uint64(runs) {
					if s := untilVerdict(q, traffic, seed); s.ComparisonRejected {
						found++
					}
				}
				traffic.Bad = traffic.StableBad
				passes := untilVerdict(q, traffic, 0).Comparison.Intervals
				t.Logf("within %g, %g requests an interval at %g %%: %d of %d faults are found, a healthy version passes after %d intervals", within, perInterval, weight, found, runs, passes)
				if least := 0.9 - 3*math.Sqrt(0.9*0.1/runs); float64(found)/runs < least {
					t.Errorf("within %g, %g requests an interval at %g %%: %d of %d faults are found", within, perInterval, weight, found, runs)
				}
			}
		}
	}
}

// untilVerdict returns the state of a canary when it passes or is rejected.
func untilVerdict(q analysis.Question, traffic canarysim.Traffic, seed uint64) (s analysis.State) {
	canary := canarysim.NewCanary(traffic, seed, 100000)
	for q.Verdict(s) == analysis.Inconclusive {
		target, stable := canary.Next()
		s = q.Observe(s, pairOf(canarysim.Sum(target), canarysim.Sum(stable)))
	}
	return s
}
