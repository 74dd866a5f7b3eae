package analysis_test

import (
	"math"
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
				if most := alpha + 3*math.Sqrt(alpha*(1-alpha)/float64(runs)); float64(n)/float64(runs) > most {
					t.Errorf("%s, %g %% of %g/s: %d of %d are rolled back", name, weight, rate, n, runs)
				}
			}
		}
	}
}

// TestTheComparisonFindsFaults holds how many faults it finds in an hour.
func TestTheComparisonFindsFaults(t *testing.T) {
	t.Parallel()
	const runs = 100
	for _, tc := range []struct {
		bad, weight, rate float64
		least             int
	}{
		{1, 10, 20, 100}, {1, 50, 20, 100}, {1, 80, 20, 100}, {0.3, 10, 20, 100}, {0.1, 10, 20, 95}, {0.1, 10, 2, 95}, {0.1, 50, 20, 95}, {0.06, 10, 20, 90}, {0.1, 1, 20, 90},
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
