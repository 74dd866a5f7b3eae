package analysis_test

import (
	"fmt"
	"math"
	"sort"
	"sync"
	"testing"

	"gati.dev/gati/internal/testing/canarysim"
	"gati.dev/gati/internal/testing/soak"
	"gati.dev/gati/pkg/analysis"
)

const (
	// seconds is the length of an interval, hour how many of them are judged.
	seconds = 15
	hour    = 240
	// alpha is the chance of a false rollback that a default analysis of one test has.
	alpha = 0.01
	// allowed is the share of bad requests at min: 99.
	allowed = 0.01
)

// weights are those of an eager canary: from 1 to 100 % in an hour.
var weights = []float64{1, 5, 10, 25, 50, 100}

// cell is one entry of the table of false rollbacks.
type cell struct {
	name    string
	traffic canarysim.Traffic
}

// cells are healthy versions: exactly at the allowed share, ten times better, and with half
// of it in bursts of half an interval and of one.
func cells() []cell {
	var out []cell
	for _, form := range []struct {
		name string
		bad  float64
		form canarysim.Burst
	}{
		{"at the limit", allowed, canarysim.Spread}, {"ten times better", allowed / 10, canarysim.Spread},
		{"short bursts", allowed / 2, canarysim.HalfInterval}, {"long bursts", allowed / 2, canarysim.WholeInterval},
	} {
		for _, rate := range []float64{0.5, 1, 5, 20, 200} {
			out = append(out, cell{fmt.Sprintf("%s, %g/s", form.name, rate), canarysim.Traffic{
				PerSecond: rate, Seconds: seconds, Varies: true, Weights: weights, Bad: form.bad, StableBad: form.bad, Form: form.form,
			}})
		}
	}
	return out
}

// rules are the other ones of the table.
var rules = []struct {
	name string
	new  func() *canarysim.Windowed
}{{"before", canarysim.OldRule}, {"Argo", canarysim.ArgoRule}, {"Flagger", canarysim.FlaggerRule}}

// falseRollbacks counts the rollbacks by each rule in so many healthy rollouts. Ours has
// the absolute test and the comparison, of alpha/2 each.
func falseRollbacks(c cell, runs int) (ours int, others [3]int) {
	p0, within := allowed, allowed
	q := analysis.Question{Allowed: &p0, Within: &within, Alpha: alpha / 2, Detect: 5}
	for seed := range uint64(runs) {
		canary := canarysim.NewCanary(c.traffic, seed, hour)
		var state analysis.State
		var back [3]bool
		var judges [3]canarysim.Rule
		for i, rule := range rules {
			judges[i] = rule.new()
		}
		for range hour {
			target, stable := canary.Next()
			beside := canarysim.Sum(stable)
			state = q.Observe(state, pairOf(canarysim.Sum(target), beside))
			for i, rule := range judges {
				for _, slot := range target {
					back[i] = back[i] || rule.Look(slot)
				}
			}
		}
		if v := q.Verdict(state); v == analysis.AboveAllowed || v == analysis.WorseThanStable {
			ours++
		}
		for i := range back {
			if back[i] {
				others[i]++
			}
		}
	}
	return ours, others
}

// TestAnalysis holds the promise: at most 1 % of healthy rollouts are rolled back, in every
// cell and within the error of the simulation. The rules of others stand beside it. make
// soak NAME=analysis has ten times as many rollouts.
func TestAnalysis(t *testing.T) {
	t.Parallel()
	// The document has the figures of the short form; other processors round in other places.
	runs, within, document := 1000, 2.0, readDocument(t)
	isLong := soak.IsLong("analysis")
	t.Run("a day at the limit", func(t *testing.T) { checkADay(t, map[bool]int{true: 2000, false: 40}[isLong]) })
	t.Run("beside a stable version", func(t *testing.T) {
		if !isLong {
			checkPromises(t, 40, false, 1, 1, 10, 50)
			return
		}
		checkPromises(t, 1000, true, 0.25, 1, 10, 50)
		checkPromises(t, 1000, true, 1, 1, 10, 50)
		checkPromises(t, 300, true, 24, 1, 10, 50)
	})
	if isLong {
		runs = 10000
		within = 100 * 3 * math.Sqrt(0.25/1000+0.25/10000) // The error of both simulations.
	}
	list := cells()
	rows := make([][4]float64, len(list))
	var group sync.WaitGroup
	for i, c := range list {
		group.Go(func() {
			ours, others := falseRollbacks(c, runs)
			rows[i] = [4]float64{percent(ours, runs), percent(others[0], runs), percent(others[1], runs), percent(others[2], runs)}
			if most := alpha + 3*math.Sqrt(alpha*(1-alpha)/float64(runs)); float64(ours)/float64(runs) > most {
				t.Errorf("%s: %d of %d healthy rollouts are rolled back", c.name, ours, runs)
			}
		})
	}
	group.Wait()
	t.Logf("false rollbacks in an hour, of %d each: ours, before, Argo, Flagger", runs)
	for i, row := range rows {
		t.Logf("| %s | %.1f | %.1f | %.1f | %.1f |", list[i].name, row[0], row[1], row[2], row[3])
		checkComparison(t, document, list[i].name, row, within)
	}
}

// checkADay holds the promise over a day: at most 1 % of the versions at the limit are rolled
// back.
func checkADay(t *testing.T, runs int) {
	t.Helper()
	var group sync.WaitGroup
	for _, p0 := range []float64{0.1, 0.01, 0.001} {
		group.Go(func() {
			q, back := analysis.Question{Allowed: &p0, Alpha: alpha, Detect: 5}, 0
			for seed := range uint64(runs) {
				canary := canarysim.NewCanary(canarysim.Traffic{PerSecond: 1, Seconds: seconds, Varies: true, Weights: []float64{50}, Bad: p0}, seed, 24*hour)
				var state analysis.State
				for range 24 * hour {
					target, _ := canary.Next()
					state = q.Observe(state, analysis.Interval{Target: canarysim.Sum(target)})
				}
				if state.AbsoluteRejected {
					back++
				}
			}
			t.Logf("p0 %g: %d of %d are rolled back within a day", p0, back, runs)
			if most := alpha + 3*math.Sqrt(alpha*(1-alpha)/float64(runs)); float64(back)/float64(runs) > most {
				t.Errorf("p0 %g: %d of %d healthy versions are rolled back within a day", p0, back, runs)
			}
		})
	}
	group.Wait()
}

func percent(n, of int) float64 { return 100 * float64(n) / float64(of) }

// TestACommonFault holds that the comparison rolls no version back where both versions fail
// 20 % of their requests for ten minutes, that it does so for a version ten times worse than
// stable, and never for one at half of within while stable fails none.
func TestACommonFault(t *testing.T) {
	t.Parallel()
	within := 0.01
	q := analysis.Question{Within: &within, Alpha: alpha, Detect: 5}
	for name, tc := range map[string]struct {
		bad, stableBad float64
		rejected       func(int) bool
	}{
		"both":           {0.2, 0.2, func(n int) bool { return n <= 6 }},
		"half of within": {within / 2, 0, func(n int) bool { return n <= 6 }},
		"the new one":    {0.2, 0.02, func(n int) bool { return n == 200 }},
	} {
		n := 0
		for seed := range uint64(200) {
			canary := canarysim.NewCanary(canarysim.Traffic{PerSecond: 20, Seconds: seconds, Weights: []float64{25}, Bad: tc.bad, StableBad: tc.stableBad}, seed, hour)
			var state analysis.State
			for range 40 {
				target, stable := canary.Next()
				beside := canarysim.Sum(stable)
				state = q.Observe(state, pairOf(canarysim.Sum(target), beside))
			}
			if q.Verdict(state) == analysis.WorseThanStable {
				n++
			}
			if name == "both" && !state.IsStableNoBetter() {
				t.Errorf("%s: stable counts as better: %+v", name, state)
			}
		}
		if !tc.rejected(n) {
			t.Errorf("%s: %d of 200 are rolled back", name, n)
		}
	}
}

// untilRejected returns the intervals until a version is rejected, after some healthy
// ones.
func untilRejected(q analysis.Question, healthy int, next func() analysis.Counts) int {
	var state analysis.State
	for range healthy {
		state = q.Observe(state, analysis.Interval{Target: analysis.Counts{Requests: 75}})
	}
	for n := 1; n <= 10000; n++ {
		if state = q.Observe(state, analysis.Interval{Target: next()}); state.AbsoluteRejected {
			return n
		}
	}
	return math.MaxInt
}

// TestAFaultOfEveryRequest holds how soon a version goes that fails every request: at first,
// after three quarters of an hour, and after a day.
func TestAFaultOfEveryRequest(t *testing.T) {
	for _, tc := range []struct {
		p0                       float64
		at, afterwards, afterDay int
	}{{0.01, 2, 4, 5}, {0.05, 3, 6, 8}, {0.1, 4, 7, 10}} {
		for _, requests := range []int64{1, 75, 7500} {
			q := analysis.Question{Allowed: &tc.p0, Alpha: alpha / 2, Detect: 5}
			all := func() analysis.Counts { return analysis.Counts{Requests: requests, Bad: requests} }
			for healthy, most := range map[int]int{0: tc.at, 120: tc.afterwards, 180: tc.afterwards, 5760: tc.afterDay} {
				if n := untilRejected(q, healthy, all); n > most {
					t.Errorf("p0 %g, %d requests an interval: gone in the %d. interval after %d healthy ones, want the %d.", tc.p0, requests, n, healthy, most)
				}
			}
		}
	}
}

// median returns the median of the intervals until a version of a share of bad requests is
// rejected.
func median(q analysis.Question, healthy int, perInterval, bad float64) float64 {
	const runs = 61
	out := make([]int, 0, runs)
	for seed := range uint64(runs) {
		canary := canarysim.NewCanary(canarysim.Traffic{PerSecond: perInterval / seconds, Seconds: seconds, Weights: []float64{100}, Bad: bad}, seed, 100000)
		out = append(out, untilRejected(q, healthy, func() analysis.Counts {
			target, _ := canary.Next()
			return canarysim.Sum(target)
		}))
	}
	sort.Ints(out)
	return float64(out[runs/2])
}

// TestPower holds how soon five times the allowed share goes: within twice Wald's bound for
// few requests, within seven intervals for many, and 2.5 times that after 30 minutes.
func TestPower(t *testing.T) {
	t.Parallel()
	p0 := allowed
	q := analysis.Question{Allowed: &p0, Alpha: alpha, Detect: 5}
	p1 := 5 * p0
	gain := p1*math.Log(p1/p0) + (1-p1)*math.Log((1-p1)/(1-p0))
	wald := math.Log(1/alpha) / gain
	for _, perInterval := range []float64{1, 2, 5, 50, 500} {
		most := 7.0
		if perInterval <= 5 {
			most = math.Ceil(2 * wald / perInterval)
		}
		soon, late := median(q, 0, perInterval, p1), median(q, 120, perInterval, p1)
		t.Logf("%g requests an interval: %g intervals (bar %g), %g after 30 healthy minutes (bar %g)", perInterval, soon, most, late, 2.5*most)
		if soon > most || late > 2.5*most {
			t.Errorf("%g requests an interval: %g intervals, %g after 30 healthy minutes; want %g and %g", perInterval, soon, late, most, 2.5*most)
		}
	}
}

// TestNeededRequestsHavePower holds that a fault of `detect` shows in 90 % of the rollouts
// within the needed requests, at any rate.
func TestNeededRequestsHavePower(t *testing.T) {
	t.Parallel()
	const runs = 200
	for _, asked := range []struct{ p0, detect float64 }{{0.05, 5}, {0.01, 5}, {0.01, 2}, {0.001, 5}} {
		p0 := asked.p0
		q := analysis.Question{Allowed: &p0, Alpha: alpha, Detect: asked.detect}
		need, _ := q.Needed()
		for _, perInterval := range []float64{1, 5, 50, 500} {
			found := 0
			for seed := range uint64(runs) {
				canary := canarysim.NewCanary(canarysim.Traffic{PerSecond: perInterval / seconds, Seconds: seconds, Weights: []float64{100}, Bad: need.Fault}, seed, 100000)
				var state analysis.State
				for q.Missing(state) > 0 && !state.AbsoluteRejected {
					target, _ := canary.Next()
					state = q.Observe(state, analysis.Interval{Target: canarysim.Sum(target)})
				}
				if state.AbsoluteRejected {
					found++
				}
			}
			least := 0.9 - 3*math.Sqrt(0.9*0.1/runs)
			t.Logf("p0 %g, %g requests an interval: %d of %d faults are found in %d requests", p0, perInterval, found, runs, need.Requests)
			if float64(found)/runs < least {
				t.Errorf("p0 %g, detect %g, %g requests an interval: %d of %d faults are found in %d requests", p0, asked.detect, perInterval, found, runs, need.Requests)
			}
		}
	}
}
