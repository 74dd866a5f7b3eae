package analysis_test

import (
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"gati.dev/gati/pkg/analysis"
)

// TestWealthIsPersistedAsItIs holds that a restart of the controller changes no test: what is
// read back leads to the same wealth as what was in memory.
func TestWealthIsPersistedAsItIs(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		p0, within := math.Pow(10, -1-3*random.Float64()), 0.02
		q := analysis.Question{Allowed: &p0, Within: &within, Alpha: 0.005, Detect: 5}
		var kept, restarted analysis.State
		for range 100 {
			n := random.Int64N(1000)
			beside := analysis.Counts{Requests: random.Int64N(1000), Bad: random.Int64N(3)}
			in := pairOf(analysis.Counts{Requests: n, Bad: random.Int64N(n/20 + 1)}, beside)
			kept, restarted = q.Observe(kept, in), q.Observe(restarted, in)
			for _, w := range []*analysis.Wealth{&restarted.Absolute, &restarted.Comparison} {
				read, err := analysis.ParseWealth(w.String())
				if err != nil {
					t.Fatal(err)
				}
				*w = read
			}
		}
		if !reflect.DeepEqual(kept, restarted) {
			t.Fatalf("%+v\n%+v", kept, restarted)
		}
		for _, w := range []analysis.Wealth{kept.Absolute, kept.Comparison} {
			if math.IsNaN(w.Log) || math.IsInf(w.Log, 0) {
				t.Fatalf("the wealth is %v", w)
			}
		}
	}
}

// TestAbsurdWealthIsRefused holds that a status edited by hand is no evidence.
func TestAbsurdWealthIsRefused(t *testing.T) {
	const before = "1 0.1 0.1 0.1 0.1 0.1 0.1" // As a release without the number of intervals wrote it.
	if w, err := analysis.ParseWealth(before); err != nil || w.Log != 1 || w.Intervals != 0 {
		t.Errorf("%q is read as %v: %v", before, w, err)
	}
	for _, text := range []string{"1", before + " -1", before + " 1.5", before + " 1 1", "x 0.1 0.1 0.1 0.1 0.1 0.1", "1 0.1 0.1 0.1 0.1 0.1 NaN", "Inf 0.1 0.1 0.1 0.1 0.1 0.1", "1 0.5 0.5 0.5 0.1 0.1 0.1", "1 0 0.1 0.1 0.1 0.1 0.1", "1 -1 0.1 0.1 0.1 0.1 0.1"} {
		if w, err := analysis.ParseWealth(text); err == nil {
			t.Errorf("%q is read as %v", text, w)
		}
	}
}

// TestNothingBadIsAllowed holds that without any allowance the first bad request rejects, and
// that no number of requests is asked.
func TestNothingBadIsAllowed(t *testing.T) {
	none := 0.0
	q := analysis.Question{Allowed: &none, Alpha: 0.01, Detect: 5}
	s := q.Observe(analysis.State{}, analysis.Interval{Target: analysis.Counts{Requests: 1}})
	if v := q.Verdict(s); v != analysis.Healthy {
		t.Errorf("verdict %v after one good request", v)
	}
	s = q.Observe(s, analysis.Interval{Target: analysis.Counts{Requests: 1000, Bad: 1}})
	if v := q.Verdict(s); v != analysis.AboveAllowed {
		t.Errorf("verdict %v after one bad request", v)
	}
	if v := q.Verdict(analysis.State{}); v != analysis.Inconclusive {
		t.Errorf("verdict %v without any request", v)
	}
}

// TestARejectionStays holds that a wealth that falls again takes no rejection back.
func TestARejectionStays(t *testing.T) {
	p0 := 0.01
	q := analysis.Question{Allowed: &p0, Alpha: 0.01, Detect: 5}
	var s analysis.State
	for range 3 {
		s = q.Observe(s, analysis.Interval{Target: analysis.Counts{Requests: 100, Bad: 100}})
	}
	for range 1000 {
		s = q.Observe(s, analysis.Interval{Target: analysis.Counts{Requests: 100}})
	}
	if s.Absolute.Odds() > 1/q.Alpha || q.Verdict(s) != analysis.AboveAllowed {
		t.Errorf("odds %g, verdict %v", s.Absolute.Odds(), q.Verdict(s))
	}
}

// TestVisibleFaults holds that more requests show smaller faults, down to the one that was
// asked for.
func TestVisibleFaults(t *testing.T) {
	p0 := 0.01
	q := analysis.Question{Allowed: &p0, Alpha: 0.005, Detect: 5}
	if share, ok := q.VisibleFault(analysis.State{Target: analysis.Counts{Requests: 2}}); ok {
		t.Errorf("two requests show a fault of %g", share)
	}
	last := 1.0
	for _, n := range []int64{40, 100, 420, 5000} {
		share, ok := q.VisibleFault(analysis.State{Target: analysis.Counts{Requests: n}})
		if !ok || share >= last {
			t.Errorf("%d requests show a fault of %g, fewer one of %g", n, share, last)
		}
		if n == 420 && math.Abs(share-0.05) > 0.0005 {
			t.Errorf("the needed requests show a fault of %g, want 0.05", share)
		}
		last = share
	}
}

// TestNeeded holds the figures of the documents for a default analysis of two tests.
func TestNeeded(t *testing.T) {
	for p0, want := range map[float64]int64{0.05: 72, 0.01: 420, 0.001: 4592} {
		need, ok := analysis.Question{Allowed: &p0, Alpha: 0.005, Detect: 5}.Needed()
		if !ok || need.Requests != want || need.Intervals*need.PerInterval < need.Requests {
			t.Errorf("p0 %g: %+v, want %d", p0, need, want)
		}
	}
	if text := (analysis.Wealth{}).String(); text != "" || strings.Contains(text, " ") {
		t.Errorf("a test that has seen nothing is written as %q", text)
	}
}
