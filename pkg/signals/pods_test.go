package signals

import (
	"cmp"
	"fmt"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	clocktesting "k8s.io/utils/clock/testing"

	"gati.dev/gati/pkg/rollout"
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
	s.Window, s.Judged = time.Minute, true
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
	if r := read(30 * time.Second); r.Traffic.Requests != 20 || r.Traffic.InFlight != 2 || r.Requests == nil || *r.Requests != 20 {
		t.Errorf("20 requests: %+v", r)
	} else if c := r.Counters; !c.Known || len(c.Instances) != 1 || c.Instances[0].Requests != 30 || c.Instances[0].Errors != 5 || !c.At.Equal(now.Add(time.Minute)) {
		t.Errorf("30 requests in all, 5 of them failed: %+v", c)
	}
	id := p.Measure(t.Context(), fake.Now(), []Subject{s})[s.Key].Counters.Instances[0].ID
	page.Store(counter(3, 0, 0))
	if r := read(30 * time.Second); r.Traffic.Known || !strings.Contains(r.Traffic.Message, "decreased") || !r.Counters.Known || r.Counters.Instances[0].Requests != 3 {
		t.Errorf("a counter that goes back in the same container: %+v", r.Traffic)
	}
	s.Pods[0].Instance, s.Pods[0].Started = "u/1", fake.Now()
	if r := read(30 * time.Second); !r.Traffic.Known || !r.Traffic.From.Equal(r.Traffic.At) {
		t.Errorf("after that, it begins anew: %+v", r.Traffic)
	} else if r.Counters.Instances[0].ID == id || !r.Counters.Instances[0].Started.Equal(s.Pods[0].Started) {
		t.Errorf("the counters of another container look the same: %+v", r.Counters)
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
		within time.Duration // a minute if it does not matter
	}{
		"no such page":    {answer: http.NotFound, says: "with 404"},
		"another page":    {answer: constant("<html></html>"), says: "the metrics of pod"},
		"nothing of ours": {answer: constant("# TYPE up gauge\nup 1\n"), says: "neither "},
		"NaN":             {answer: constant("# TYPE gati_http_requests_total counter\ngati_http_requests_total{route=\"/\"} NaN\n"), says: "is NaN"},
		"too much": {answer: func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write([]byte(counter(1, 0, 0) + strings.Repeat("# x\n", 2<<20)))
		}, says: "too large"},
		"nothing in time": {answer: func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, says: "exceeded", within: 300 * time.Millisecond},
		"somewhere else": {answer: func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://127.0.0.1:1/", http.StatusFound)
		}, says: "redirect"},
		"half of the metric": {answer: constant("# TYPE gati_http_requests_total counter\ngati_http_requests_total{route="), says: "the metrics of pod"},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(tc.answer)
			defer server.Close()
			s := podAt(t, server)
			got := NewPods(cmp.Or(tc.within, time.Minute), at(now)).Measure(t.Context(), now, []Subject{s})[s.Key].Traffic
			if got.Known || !strings.Contains(got.Message, tc.says) {
				t.Errorf("known %v: %q, want %q in it", got.Known, got.Message, tc.says)
			}
		})
	}
}

// TestASilentPodHidesNoCounters holds that of a judged workload the pods that answer are
// counted, and that the traffic, on whose end a drain rests, is unknown all the same.
func TestASilentPodHidesNoCounters(t *testing.T) {
	for silent := range 4 {
		healthy, broken := httptest.NewServer(constant(counter(30, 5, 0))), httptest.NewServer(http.HandlerFunc(http.NotFound))
		defer healthy.Close()
		defer broken.Close()
		s := podAt(t, healthy)
		s.Judged = true
		for i := range 2 {
			one := s.Pods[0]
			one.Name, one.Instance = fmt.Sprint("more", i), fmt.Sprint("more", i)
			s.Pods = append(s.Pods, one)
		}
		for i := range silent {
			s.Pods[i].IP, s.Pods[i].Port = podAt(t, broken).Pods[0].IP, podAt(t, broken).Pods[0].Port
		}
		got := NewPods(time.Second, at(now)).Measure(t.Context(), now, []Subject{s})[s.Key]
		read := 0
		for _, one := range got.Counters.Instances {
			if !one.Unread && one.Requests == 30 && one.Errors == 5 {
				read++
			}
		}
		if isKnown := silent < 2; got.Counters.Known != isKnown || isKnown && read != 3-silent || got.Traffic.Known != (silent == 0) {
			t.Errorf("%d of 3 are silent: %d are read: %+v", silent, read, got)
		}
		if silent > 0 && !strings.Contains(got.Counters.Message, "with 404") {
			t.Errorf("the reason is %q", got.Counters.Message)
		}
	}
}

// TestBucketsOfAPod holds what is read of a histogram: rising bounds without the routes of
// probes, and nothing without the last bound.
func TestBucketsOfAPod(t *testing.T) {
	histogram := func(route string, n int) string {
		return fmt.Sprintf(`gati_http_request_duration_seconds_bucket{route=%q,le="0.1"} %d
gati_http_request_duration_seconds_bucket{route=%q,le="0.5"} %d
gati_http_request_duration_seconds_bucket{route=%q,le="+Inf"} %d
`, route, n, route, 2*n, route, 3*n)
	}
	page := counter(30, 0, 0) + "# TYPE gati_http_request_duration_seconds histogram\n" + histogram("/users/:id", 10) + histogram("/health", 1)
	server := httptest.NewServer(constant(page))
	defer server.Close()
	s := podAt(t, server)
	s.Judged = true
	got := NewPods(3*time.Second, at(now)).Measure(t.Context(), now, []Subject{s})[s.Key].Counters
	want := []rollout.Bucket{{Bound: 0.1, Count: 10}, {Bound: 0.5, Count: 20}, {Bound: math.Inf(1), Count: 30}}
	if len(got.Instances) != 1 || !slices.Equal(got.Instances[0].Buckets, want) {
		t.Errorf("%+v", got)
	}
	if got := sortedBuckets(map[float64]float64{0.1: 3}); got != nil {
		t.Errorf("a histogram without its last bound: %v", got)
	}
}

// TestAPodThatHangsTakesNoOthersTime holds that a workload is given up at its first pod that
// fails, and that the pods of others are read all the same.
func TestAPodThatHangsTakesNoOthersTime(t *testing.T) {
	var asked atomic.Int64
	hanging := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		<-r.Context().Done()
	}))
	defer hanging.Close()
	healthy := httptest.NewServer(constant(counter(10, 0, 0)))
	defer healthy.Close()
	crowd := func(of *httptest.Server, name string, pods int) Subject {
		s := podAt(t, of)
		s.Workload = name
		for i := range pods - 1 {
			one := s.Pods[0]
			one.Name, one.Instance = fmt.Sprint(name, i), fmt.Sprint(name, i)
			s.Pods = append(s.Pods, one)
		}
		return s
	}
	dead, alive := crowd(hanging, "dead", 1000), crowd(healthy, "alive", 200)
	got := NewPods(5*time.Second, at(now)).Measure(t.Context(), now, []Subject{dead, alive})
	if r := got[dead.Key]; r.Traffic.Known || r.Traffic.Message == "" {
		t.Errorf("a workload whose pods hang: %+v", r.Traffic)
	}
	if r := got[alive.Key]; !r.Traffic.Known || r.Traffic.Counted != 200*10 {
		t.Errorf("the other one: %+v", r.Traffic)
	}
	if n := asked.Load(); n > 2*maxConcurrentReads {
		t.Errorf("%d pods of a workload that hangs are asked, want at most %d", n, 2*maxConcurrentReads)
	}
}
