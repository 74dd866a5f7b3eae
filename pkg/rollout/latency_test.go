package rollout

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/analysis"
)

// bounds are the default ones of prom-client.
var bounds = []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, math.Inf(1)}

// histogram has counted latencies, as an application does.
type histogram struct {
	bounds []float64
	counts []int64
}

func newHistogram(bounds []float64) *histogram { return &histogram{bounds, make([]int64, len(bounds))} }

func (h *histogram) observe(seconds float64) {
	for i, bound := range h.bounds {
		if seconds <= bound {
			h.counts[i]++
		}
	}
}

// counters returns what a reader of the only pod sees.
func (h *histogram) counters() Counters {
	one := InstanceCounters{ID: "pod"}
	for i, bound := range h.bounds {
		one.Buckets = append(one.Buckets, Bucket{bound, h.counts[i]})
	}
	return NewCounters(time.Time{}, []InstanceCounters{one}, "")
}

// latencies are distributions with 1 % of the requests or less beyond half a second.
var latencies = map[string]func(*rand.Rand) float64{
	"shifted":      func(r *rand.Rand) float64 { return 0.2 + 0.06*r.ExpFloat64() },
	"heavy-tailed": func(r *rand.Rand) float64 { return 0.005 * math.Pow(1-r.Float64(), -1/1.05) },
	"bimodal": func(r *rand.Rand) float64 {
		if r.Float64() < 0.008 {
			return 1.5 + r.Float64()
		}
		return 0.02 + 0.01*r.Float64()
	},
}

// TestLatenciesThroughBuckets holds that versions within their limit stay, whatever the
// distribution, and that one that is slower goes: judged by a real histogram, at the bound
// above the limit.
func TestLatenciesThroughBuckets(t *testing.T) {
	most := 0.4
	metric := Metric{Name: "p99 latency", Kind: Latency, Quantile: 0.99, Max: &most}
	policy := AnalysisPolicy{Alpha: 0.01, Detect: 5}
	for name, draw := range latencies {
		for _, slower := range []float64{1, 4} {
			rejected := 0
			for seed := range uint64(60) {
				random := rand.New(rand.NewPCG(seed, 3))
				h, q := newHistogram(bounds), policy.questionFor(metric)
				var state analysis.State
				was, _ := metric.increaseSince(nil, time.Time{}, h.counters(), 0.5)
				for range 60 {
					for range 40 {
						seconds := draw(random)
						if random.Float64() < (slower-1)/20 {
							seconds += 0.6
						}
						h.observe(seconds)
					}
					c := h.counters()
					limit, found := findLimit(most, c)
					if !found || limit != 0.5 {
						t.Fatalf("%s: the limit is %v, %v", name, limit, found)
					}
					is, n := metric.increaseSince(was, time.Time{}, c, limit)
					if !n.isWhole || n.Requests != 40 {
						t.Fatalf("%s: an interval of %+v", name, n)
					}
					state, was = q.Observe(state, analysis.Interval{Target: analysis.Counts(n.RequestCounts)}), is
				}
				if state.AbsoluteRejected {
					rejected++
				}
			}
			if slower == 1 && rejected > 3 || slower > 1 && rejected < 55 {
				t.Errorf("%s, %g times slower: %d of 60 are rejected", name, slower, rejected)
			}
		}
	}
}

// TestLimitsAreBoundsOfBoth holds which bound a limit is moved up to.
func TestLimitsAreBoundsOfBoth(t *testing.T) {
	counted := func(bounds ...float64) Counters {
		h := newHistogram(append(bounds, math.Inf(1)))
		h.observe(0.01)
		return h.counters()
	}
	idle := Counters{Known: true, Instances: []InstanceCounters{{}}}
	for name, tc := range map[string]struct {
		all   []Counters
		want  float64
		found bool
	}{
		"a bound":                  {[]Counters{counted(.1, .5)}, .5, true},
		"between two":              {[]Counters{counted(.1, .45, 1)}, .45, true},
		"one that both have":       {[]Counters{counted(.1, .45, 1), counted(.1, .5, 1)}, 1, true},
		"above the last":           {[]Counters{counted(.1)}, math.Inf(1), true},
		"nothing counted yet":      {[]Counters{idle}, math.Inf(1), false},
		"one of two has no counts": {[]Counters{idle, counted(.5)}, .5, true},
	} {
		if got, found := findLimit(.4, tc.all...); got != tc.want || found != tc.found {
			t.Errorf("%s: %v, %v; want %v, %v", name, got, found, tc.want, tc.found)
		}
	}
}

// TestIncreases holds what counts of two readings: each pod by itself.
func TestIncreases(t *testing.T) {
	metric := Metric{Kind: SuccessRate}
	end := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	pod := func(id string, started time.Duration, requests, errors int64) InstanceCounters {
		return InstanceCounters{ID: id, Started: end.Add(started), Requests: requests, Errors: errors}
	}
	silent := func(id string, started time.Duration) InstanceCounters {
		return InstanceCounters{ID: id, Started: end.Add(started), Unread: true}
	}
	a, b := pod("a", -time.Hour, 100, 10), pod("b", -time.Hour, 50, 0)
	for name, tc := range map[string]struct {
		was, is []InstanceCounters
		want    v1.RequestCounts
		whole   bool
	}{
		"the same pods":              {[]InstanceCounters{a, b}, []InstanceCounters{pod("a", -time.Hour, 140, 11), pod("b", -time.Hour, 52, 2)}, v1.RequestCounts{Requests: 42, Bad: 3}, true},
		"nothing new":                {[]InstanceCounters{a, b}, []InstanceCounters{a, b}, v1.RequestCounts{}, true},
		"a counter that began again": {[]InstanceCounters{a, b}, []InstanceCounters{pod("a", -time.Hour, 40, 11), pod("b", -time.Hour, 52, 2)}, v1.RequestCounts{Requests: 2, Bad: 2}, false},
		"a new pod beside an old":    {[]InstanceCounters{a}, []InstanceCounters{pod("a", -time.Hour, 140, 11), pod("c", time.Second, 7, 2)}, v1.RequestCounts{Requests: 47, Bad: 3}, true},
		"a pod that went":            {[]InstanceCounters{a, b}, []InstanceCounters{pod("a", -time.Hour, 140, 11)}, v1.RequestCounts{Requests: 40, Bad: 1}, true},
		"a silent pod":               {[]InstanceCounters{a, b}, []InstanceCounters{pod("a", -time.Hour, 140, 11), silent("b", -time.Hour)}, v1.RequestCounts{Requests: 40, Bad: 1}, true},
		"a pod that was unknown":     {nil, []InstanceCounters{pod("a", -time.Hour, 140, 11)}, v1.RequestCounts{}, false},
		"none left":                  {[]InstanceCounters{a}, nil, v1.RequestCounts{}, true},
		"failures before their sums": {[]InstanceCounters{a}, []InstanceCounters{pod("a", -time.Hour, 101, 19)}, v1.RequestCounts{Requests: 1, Bad: 1}, true},
	} {
		was, _ := metric.increaseSince(nil, end.Add(-time.Minute), Counters{Instances: tc.was}, 0)
		if _, got := metric.increaseSince(was, end, Counters{Instances: tc.is}, 0); got.RequestCounts != tc.want || got.isWhole != tc.whole {
			t.Errorf("%s: %+v, %v; want %+v, %v", name, got.RequestCounts, got.isWhole, tc.want, tc.whole)
		}
	}
}

// TestASilentPodIsCountedOnce holds that the requests of a pod that could not be read, old or
// new, count with its next reading, and are then not compared with those of stable.
func TestASilentPodIsCountedOnce(t *testing.T) {
	metric := Metric{Kind: SuccessRate}
	end := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	at := func(requests int64, unread bool) Counters {
		return Counters{Instances: []InstanceCounters{
			{ID: "old", Started: end.Add(-time.Hour), Requests: requests, Unread: unread},
			{ID: "new", Started: end.Add(time.Second), Requests: requests, Unread: unread},
		}}
	}
	first, _ := metric.increaseSince(nil, end.Add(-time.Minute), at(10, false), 0)
	delete(first.Instances, hashID("new"))
	for range 3 {
		first, _ = metric.increaseSince(first, end, at(0, true), 0)
	}
	next, n := metric.increaseSince(first, end.Add(time.Minute), at(50, false), 0)
	if n.Requests != 40+50 || n.isWhole {
		t.Errorf("%+v; want 90 requests of two intervals", n)
	}
	if _, n = metric.increaseSince(next, end.Add(2*time.Minute), at(51, false), 0); n.Requests != 2 || !n.isWhole {
		t.Errorf("then %+v", n)
	}
}

// TestAHungRequestIsCountedOnce holds that what is in flight for a whole interval counts then, and
// not again while it hangs.
func TestAHungRequestIsCountedOnce(t *testing.T) {
	metric := Metric{Kind: SuccessRate}
	end := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	var was *v1.CountersStatus
	for i, step := range []struct{ answered, inFlight, hung int64 }{
		{10, 3, 0}, {11, 5, 2}, {11, 6, 3}, {11, 6, 1}, {17, 0, 0}, {17, 2, 0}, {17, 2, 2},
	} {
		is, n := metric.increaseSince(was, end, Counters{Instances: []InstanceCounters{{ID: "a", Requests: step.answered, InFlight: step.inFlight}}}, 0)
		if n.hung != step.hung {
			t.Errorf("reading %d: %d have hung, want %d", i, n.hung, step.hung)
		}
		was = is
	}
}

// TestManyPodsAreCountedInGroups holds that the status has few entries however many pods there
// are, and that one that is replaced costs the part of few others.
func TestManyPodsAreCountedInGroups(t *testing.T) {
	metric := Metric{Kind: SuccessRate}
	end := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	all := func(requests int64, replaced string) (out Counters) {
		for i := range 1000 {
			out.Instances = append(out.Instances, InstanceCounters{ID: fmt.Sprint(i), Started: end.Add(-time.Hour), Requests: requests})
		}
		out.Instances[7].ID = replaced
		return out
	}
	was, _ := metric.increaseSince(nil, end, all(10, "a"), 0)
	is, n := metric.increaseSince(was, end, all(11, "b"), 0)
	if len(is.Instances) > maxGroups || n.Requests < 900 || n.Requests >= 1000 {
		t.Errorf("%d entries, %d of 1000 requests", len(is.Instances), n.Requests)
	}
}

// TestQuantiles holds the estimate within a histogram.
func TestQuantiles(t *testing.T) {
	all := func(buckets ...Bucket) Counters {
		return Counters{Instances: []InstanceCounters{{Buckets: buckets}, {}}}
	}
	for name, tc := range map[string]struct {
		c     Counters
		q     float64
		want  float64
		found bool
	}{
		"half in the first": {all(Bucket{0.1, 50}, Bucket{0.2, 100}, Bucket{math.Inf(1), 100}), 0.5, 0.1, true},
		"within a bucket":   {all(Bucket{0.1, 50}, Bucket{0.2, 100}, Bucket{math.Inf(1), 100}), 0.75, 0.15, true},
		"beyond the last":   {all(Bucket{0.1, 50}, Bucket{0.2, 60}, Bucket{math.Inf(1), 100}), 0.99, 0, false},
		"nothing":           {all(Bucket{0.1, 0}, Bucket{math.Inf(1), 0}), 0.99, 0, false},
		"no histogram":      {all(), 0.99, 0, false},
	} {
		if got, found := tc.c.quantileTime(tc.q); math.Abs(got-tc.want) > 1e-9 || found != tc.found {
			t.Errorf("%s: %v, %v; want %v, %v", name, got, found, tc.want, tc.found)
		}
	}
}

// TestTheBaselineOfALatencyIsFrozen holds that the quantile of stable before the first
// weight is the limit, however slow stable becomes.
func TestTheBaselineOfALatencyIsFrozen(t *testing.T) {
	within := 20.0
	metric := Metric{Name: "p99 latency against stable", Kind: Latency, Quantile: 0.99, Within: &within}
	stable, target := newHistogram(bounds), newHistogram(bounds)
	for i := range 1000 {
		stable.observe(0.0002 * float64(i%400))
	}
	j := judging{roster: &roster{ro: &v1.RolloutStatus{Stable: &v1.UnitRef{Version: "v1", Workload: "v1"}}}}
	j.counters = map[string]Counters{"v1": stable.counters()}
	s := &v1.MetricStatus{Counted: &v1.CountedStatus{}}
	limit, known := j.chooseLimit(metric, s, Counters{Known: true})
	if !known || limit != 0.1 && limit != 0.25 || s.Counted.Limit == "" {
		t.Fatalf("the limit is %v, %v: %+v", limit, known, s.Counted)
	}
	for range 100000 {
		stable.observe(5)
		target.observe(5)
	}
	j.counters = map[string]Counters{"v1": stable.counters()}
	if again, _ := j.chooseLimit(metric, s, target.counters()); again != limit {
		t.Errorf("the limit moved from %v to %v", limit, again)
	}
	if text := metric.describeBounds(s.Counted); text != "at most 2 % over 250 ms (that of stable, 98.3 ms, times 2.5), or twice the share of stable" {
		t.Errorf("the bounds are %q", text)
	}
	if !slices.Contains(bounds, limit) {
		t.Errorf("%v is no bound", limit)
	}
}

// TestHowFarALatencyLimitIsMoved holds the figures of docs/analysis.md: to how many times the
// quantile of stable a `within: "20"` comes on the bounds of the npm package.
func TestHowFarALatencyLimitIsMoved(t *testing.T) {
	ofPackage := readPackageBounds(t)
	random := rand.New(rand.NewPCG(1, 1))
	var factors []float64
	for range 400 {
		h, quantile := newHistogram(ofPackage), 0.005*math.Pow(1000, random.Float64())
		for range 2000 { // Log-normal, of which 1 % takes longer than the quantile.
			h.observe(quantile * math.Exp(0.6*(random.NormFloat64()-2.3263)))
		}
		stable := h.counters()
		value, found := stable.quantileTime(0.99)
		limit, isBound := findLimit(1.2*value, stable)
		if !found || !isBound {
			t.Fatalf("no limit at a quantile of %g s", quantile)
		}
		factors = append(factors, limit/quantile)
	}
	slices.Sort(factors)
	median, most := factors[len(factors)/2], factors[len(factors)-1]
	t.Logf("the limit is %.1f times the quantile in half of the cases, and at most %.1f", median, most)
	if math.Abs(median-1.8) > 0.1 || math.Abs(most-3.8) > 0.1 {
		t.Errorf("the limit is %.1f times the quantile in half of the cases, and at most %.1f", median, most)
	}
}

// readPackageBounds returns the bounds of the npm package's histogram.
func readPackageBounds(t *testing.T) []float64 {
	t.Helper()
	text, err := os.ReadFile("../../runtime/src/metrics.js")
	if err != nil {
		t.Fatal(err)
	}
	list := regexp.MustCompile(`(?s)gati_http_request_duration_seconds.*?buckets: \[([^]]*)\]`).FindSubmatch(text)
	if list == nil {
		t.Fatal("the package has no buckets")
	}
	var out []float64
	for part := range strings.SplitSeq(string(list[1]), ",") {
		bound, err := strconv.ParseFloat(strings.TrimSpace(part), 64)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, bound)
	}
	for _, bound := range bounds[:len(bounds)-1] {
		if !slices.Contains(out, bound) {
			t.Errorf("the package lacks %g s, which prom-client has by default", bound)
		}
	}
	return append(out, math.Inf(1))
}
