package signals

import (
	"fmt"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	clocktesting "k8s.io/utils/clock/testing"
)

// podAt is a subject whose one pod a server plays.
func podAt(t *testing.T, server *httptest.Server) Subject {
	t.Helper()
	host, port, err := net.SplitHostPort(strings.TrimPrefix(server.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	n, err := strconv.Atoi(port)
	if err != nil {
		t.Fatal(err)
	}
	s := users()
	s.Pods[0].Port, s.Pods[0].IP = int32(n), host
	return s
}

// counter returns the metrics of a pod that has answered so many requests.
func counter(requests, failed, active int) string {
	return fmt.Sprintf(`# TYPE gati_http_requests_total counter
gati_http_requests_total{method="GET",route="/users/:id",status_code="200"} %d
gati_http_requests_total{method="GET",route="/users/:id",status_code="500"} %d
gati_http_requests_total{method="GET",route="/metrics",status_code="200"} 7
gati_http_requests_total{method="GET",route="/health",status_code="200"} 70
# TYPE gati_active_connections gauge
gati_active_connections %d
`, requests-failed, failed, active+1)
}

// TestPodsCountForThemselves holds what two readings of the same counters come to.
func TestPodsCountForThemselves(t *testing.T) {
	var page atomic.Value
	page.Store(counter(10, 0, 0))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		text, _ := page.Load().(string)
		_, _ = w.Write([]byte(text))
	}))
	defer server.Close()
	fake := clocktesting.NewFakePassiveClock(now)
	s := podAt(t, server)
	s.Window = time.Minute
	p := NewPods(time.Second, fake)
	read := func(after time.Duration) Reading {
		fake.SetTime(fake.Now().Add(after))
		return p.Measure(t.Context(), fake.Now(), []Subject{s})[s.Key]
	}
	if r := read(0); !r.Traffic.Known || r.Traffic.Requests != 0 || !r.Traffic.From.Equal(r.Traffic.At) || r.Traffic.Counted != 10 {
		t.Errorf("the first reading is about no time: %+v", r.Traffic)
	}
	if r := read(30 * time.Second); !r.Traffic.Known || r.Traffic.Requests != 0 || !r.Traffic.From.Equal(now) || r.Traffic.InFlight != 0 {
		t.Errorf("no request: %+v", r.Traffic)
	}
	page.Store(counter(30, 5, 2))
	if r := read(30 * time.Second); r.Traffic.Requests != 20 || r.Traffic.InFlight != 2 || r.Stats == nil || r.Stats.Requests != 20 || r.Stats.Errors != 5 {
		t.Errorf("20 requests, 5 of them failed: %+v %+v", r.Traffic, r.Stats)
	}
	page.Store(counter(3, 0, 0))
	if r := read(30 * time.Second); r.Traffic.Known || !strings.Contains(r.Traffic.Message, "decreased") {
		t.Errorf("a counter that goes back in the same container: %+v", r.Traffic)
	}
	s.Pods[0].Instance, s.Pods[0].Started = "u/1", fake.Now()
	if r := read(30 * time.Second); !r.Traffic.Known || !r.Traffic.From.Equal(r.Traffic.At) {
		t.Errorf("after that, it begins anew: %+v", r.Traffic)
	}
	s.Pods = append(s.Pods[:0:0], s.Pods...)
	s.Pods[0].Instance, s.Pods[0].Started = "u/2", fake.Now()
	if r := read(30 * time.Second); !r.Traffic.Lost || r.Traffic.Requests != 3 {
		t.Errorf("a container that began anew is counted from its start, and the last of the other is lost: %+v", r.Traffic)
	}
}

// TestAnotherReaderCarriesOn holds that a new leader loses no time without requests,
// where the same pods have counted nothing since.
func TestAnotherReaderCarriesOn(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(counter(10, 0, 0))) }))
	defer server.Close()
	s := podAt(t, server)
	first := NewPods(time.Second, at(now)).Measure(t.Context(), now, []Subject{s})[s.Key].Traffic
	later := now.Add(10 * time.Minute)
	for name, tc := range map[string]struct {
		change   func(*Subject)
		from     time.Time
		requests int64
	}{
		"the same pods, the same count": {func(*Subject) {}, now, 0},
		"the same pods, more":           {func(s *Subject) { s.Counted = 4 }, now, 6},
		"fewer than there were":         {func(s *Subject) { s.Counted = 40 }, later, 0},
		"another pod":                   {func(s *Subject) { s.CountedBy = "other" }, later, 0},
		"no reader before":              {func(s *Subject) { s.CountedBy, s.Since = "", time.Time{} }, later, 0},
	} {
		next := s
		next.Since, next.Counted, next.CountedBy = now, first.Counted, first.CountedBy
		tc.change(&next)
		got := NewPods(time.Second, at(later)).Measure(t.Context(), later, []Subject{next})[s.Key].Traffic
		if !got.Known || !got.From.Equal(tc.from) || got.Requests != tc.requests {
			t.Errorf("%s: from %s, %d requests; want %s, %d", name, got.From, got.Requests, tc.from, tc.requests)
		}
	}
}

// TestPodsThatLie holds that what a pod does not tell is unknown.
func TestPodsThatLie(t *testing.T) {
	for name, tc := range map[string]struct {
		answer http.HandlerFunc
		says   string
	}{
		"no such page":    {http.NotFound, "with 404"},
		"another page":    {constant("<html></html>"), "the metrics of pod"},
		"nothing of ours": {constant("# TYPE up gauge\nup 1\n"), "neither "},
		"NaN":             {constant("# TYPE gati_http_requests_total counter\ngati_http_requests_total{route=\"/\"} NaN\n"), "is NaN"},
		"too much": {func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte(counter(1, 0, 0) + strings.Repeat("# x\n", 2<<20)))
		}, "too large"},
		"nothing in time": {func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, "exceeded"},
		"somewhere else": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://127.0.0.1:1/", http.StatusFound)
		}, "redirect"},
		"half of the metric": {constant("# TYPE gati_http_requests_total counter\ngati_http_requests_total{route="), "the metrics of pod"},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(tc.answer)
			defer server.Close()
			s := podAt(t, server)
			got := NewPods(3*time.Second, at(now)).Measure(t.Context(), now, []Subject{s})[s.Key].Traffic
			if got.Known || !strings.Contains(got.Message, tc.says) {
				t.Errorf("known %v: %q, want %q in it", got.Known, got.Message, tc.says)
			}
		})
	}
}

// TestQuantiles holds the estimate within a histogram.
func TestQuantiles(t *testing.T) {
	inf := func(buckets map[float64]float64, all float64) *Stats {
		s := newStats()
		for bound, n := range buckets {
			s.Buckets[bound] = n
		}
		s.Buckets[math.Inf(1)] = all
		return s
	}
	for name, tc := range map[string]struct {
		stats   *Stats
		q       float64
		want    float64
		atLeast bool
		known   bool
	}{
		"half in the first":         {inf(map[float64]float64{0.1: 50, 0.2: 100}, 100), 0.5, 0.1, false, true},
		"within a bucket":           {inf(map[float64]float64{0.1: 50, 0.2: 100}, 100), 0.75, 0.15, false, true},
		"beyond the last":           {inf(map[float64]float64{0.1: 50, 0.2: 60}, 100), 0.99, 0.2, true, true},
		"nothing":                   {inf(map[float64]float64{0.1: 0}, 0), 0.99, 0, false, false},
		"no bound":                  {newStats(), 0.99, 0, false, false},
		"counts that go down a bit": {inf(map[float64]float64{0.1: 100.1, 0.2: 100}, 100), 0.5, 0.05, false, true},
	} {
		value, atLeast, known := tc.stats.Quantile(tc.q)
		if diff := value - tc.want; diff > 0.001 || diff < -0.001 || atLeast != tc.atLeast || known != tc.known {
			t.Errorf("%s: %v, %v, %v; want %v, %v, %v", name, value, atLeast, known, tc.want, tc.atLeast, tc.known)
		}
	}
}
