package analysis_test

import (
	"math"
	"sync"
	"testing"

	"gati.dev/gati/internal/testing/canarysim"
	"gati.dev/gati/pkg/analysis"
)

// slot is how many slots of the default analysis a second has.
const slot = canarysim.Slots / 10.0

// promised are healthy versions beside a stable one, at 0.5 % of failures where nothing else is
// said, judged by the default analysis: intervals of 10 s.
var promised = []struct {
	name    string
	traffic canarysim.Traffic
}{
	{"common outages of 2 minutes", canarysim.Traffic{PerSecond: 20, StableBad: 0.0005, Outage: outage(0.3, 120, 3600)}},
	{"common outages of 2 minutes, read 5 s apart", canarysim.Traffic{PerSecond: 20, StableBad: 0.0005, Outage: outage(0.3, 120, 3600), Skew: 3}},
	{"common outages of 3 s", canarysim.Traffic{PerSecond: 20, StableBad: 0.0005, Outage: outage(1, 3, 120)}},
	{"common outages of 3 s, read 2 s apart", canarysim.Traffic{PerSecond: 20, StableBad: 0.0005, Outage: outage(1, 3, 120), Skew: 1}},
	{"common outages of 3 s, read 15 s apart", canarysim.Traffic{PerSecond: 20, StableBad: 0.0005, Outage: outage(1, 3, 120), Skew: 9}},
	{"bursts of each", canarysim.Traffic{PerSecond: 20, Bad: 0.1, StableBad: 0.1, Form: canarysim.WholeInterval, StableForm: canarysim.WholeInterval}},
	{"retries of each failure", canarysim.Traffic{PerSecond: 20, Retries: 2, Bad: 0.03, StableBad: 0.03}},
	{"a request an interval", canarysim.Traffic{PerSecond: 0.1, Bad: 0.03, StableBad: 0.03}},
	{"traffic of a day", canarysim.Traffic{PerSecond: 5, Varies: true, StableBad: 0.0005}},
	{"one pod of ten is replaced every 2 minutes and fails 15 % of 15 s", canarysim.Traffic{PerSecond: 20, Own: outage(0.015, 15, 120), StableBad: 0.0005}},
}

// outage returns one of so many seconds that comes again after so many.
func outage(bad, long, every float64) canarysim.Outage {
	return canarysim.Outage{Bad: bad, From: int(every * slot / 3), Long: int(math.Ceil(long * slot)), Every: int(every * slot)}
}

// judgedByDefault returns how many of so many rollouts the default analysis ends within so many
// intervals, and the rules of Argo's and Flagger's documents.
func judgedByDefault(traffic canarysim.Traffic, runs, intervals int) (back [3]int) {
	within, floor := 0.01, 0.5
	q := analysis.Question{Within: &within, Allowed: &floor, Floor: true, Alpha: alpha, Detect: 5}
	traffic.Seconds = 10
	// The readings of both are a fifth of an interval of the comparison apart at most.
	merged := max(1, int(math.Ceil(5*float64(traffic.Skew)/canarysim.Slots)))
	for seed := range uint64(runs) {
		canary := canarysim.NewCanary(traffic, seed, intervals)
		var s analysis.State
		var open analysis.Pair
		rules := [2]*canarysim.Windowed{canarysim.ArgoRule(), canarysim.FlaggerRule()}
		for _, rule := range rules {
			rule.Every, rule.Window = rule.Every*3/2, rule.Window*3/2 // Their slots are those of 15 s.
		}
		var ended [2]bool
		for n := 1; n <= intervals; n++ {
			target, stable := canary.Next()
			in := analysis.Interval{Target: canarysim.Sum(target)}
			open.Target, open.Stable = open.Target.Add(in.Target), open.Stable.Add(canarysim.Sum(stable))
			if in.IsOpen = open.Stable.Requests > 0; in.IsOpen && n%merged == 0 {
				in.Compared, open = &analysis.Pair{Target: open.Target, Stable: open.Stable}, analysis.Pair{}
			}
			s = q.Observe(s, in)
			for i := range rules {
				for _, one := range target {
					ended[i] = ended[i] || rules[i].Look(one)
				}
			}
		}
		for i, isBack := range []bool{s.AbsoluteRejected || s.ComparisonRejected, ended[0], ended[1]} {
			if isBack {
				back[i]++
			}
		}
	}
	return back
}

// checkPromises holds that the default analysis rolls at most 1 % of healthy versions back in
// each cell of so many hours, within the error of the simulation, or with 95 % confidence.
func checkPromises(t *testing.T, runs int, isSure bool, hours float64, weights ...float64) {
	t.Helper()
	var group sync.WaitGroup
	for _, c := range promised {
		for _, weight := range weights {
			group.Go(func() {
				traffic := c.traffic
				traffic.Weights, traffic.Bad = []float64{weight}, max(0.005, traffic.Bad)
				back := judgedByDefault(traffic, runs, int(hours*360))
				most := 100 * upperBound(back[0], runs)
				t.Logf("%s, %g h at %g %%: %d of %d are rolled back, so at most %.2f %%; by Argo's rule %d, by Flagger's %d", c.name, hours, weight, back[0], runs, most, back[1], back[2])
				if back[0] > mostFalse(runs) || isSure && most > 1 {
					t.Errorf("%s, %g h at %g %%: %d of %d are rolled back", c.name, hours, weight, back[0], runs)
				}
			})
		}
	}
	group.Wait()
}

// upperBound returns the share that is larger than the true one with a chance of 95 %, after n of
// so many.
func upperBound(n, of int) float64 {
	low, high := float64(n)/float64(of), 1.0
	for range 50 {
		p, sum, term := (low+high)/2, 0.0, 0.0
		term = math.Exp(float64(of) * math.Log1p(-p))
		for k := 0; k <= n; k++ {
			sum += term
			term *= float64(of-k) / float64(k+1) * p / (1 - p)
		}
		if sum > 0.05 {
			low = p
		} else {
			high = p
		}
	}
	return high
}

// TestLongBursts holds that `min: "99"` lets at least 99 % of the versions stay for an hour in
// which 0.1 % of all requests fail in bursts longer than an interval, with an interval nearly as
// long as a burst. With shorter ones it cannot: for the time of a burst, such a version is one that
// fails every request, and is found as soon. Rolled back are those that had a burst.
func TestLongBursts(t *testing.T) {
	t.Parallel()
	const runs, length = 400, 3600.0
	for _, burst := range []float64{30, 75} {
		for _, interval := range []float64{15, 30, 60} {
			back, hit := 0, 0
			for seed := range uint64(runs) {
				canary := canarysim.NewCanary(canarysim.Traffic{
					PerSecond: 20, Seconds: interval, Weights: []float64{50}, Bad: 0.001, Form: canarysim.ManySlots,
					BurstSlots: int(burst * canarysim.Slots / interval),
				}, seed, int(length/interval))
				s := judgeByMin(canary, int(length/interval))
				if s.AbsoluteRejected {
					back++
				}
				if s.Target.Bad > 0 {
					hit++
				}
			}
			t.Logf("bursts of %g s, intervals of %g s: %d of %d are rolled back, %d had a burst", burst, interval, back, runs, hit)
			if 5*interval >= 4*burst && back > mostFalse(runs) {
				t.Errorf("bursts of %g s, intervals of %g s: %d of %d are rolled back", burst, interval, back, runs)
			}
		}
	}
}

// judgeByMin returns the state of `min: "99"` after so many intervals.
func judgeByMin(canary *canarysim.Canary, intervals int) (s analysis.State) {
	p0 := allowed
	q := analysis.Question{Allowed: &p0, Alpha: alpha, Detect: 5}
	for range intervals {
		target, _ := canary.Next()
		s = q.Observe(s, analysis.Interval{Target: canarysim.Sum(target)})
	}
	return s
}
