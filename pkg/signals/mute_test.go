package signals

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	clocktesting "k8s.io/utils/clock/testing"

	"gati.dev/gati/pkg/rollout"
)

// unproven is a subject whose pods have not answered yet. A server plays all of them.
func unproven(t *testing.T, server *httptest.Server, pods int) Subject {
	t.Helper()
	s := podAt(t, server)
	s.Proven = false
	for i := 1; i < pods; i++ {
		p := s.Pods[0]
		p.Name, p.Instance = fmt.Sprint("pod-", i), fmt.Sprint("u", i, "/0")
		s.Pods = append(s.Pods, p)
	}
	return s
}

// TestPodsWithoutMetrics holds that pods which have never answered with metrics measure
// nothing, and that those which have are unknown when they are silent.
func TestPodsWithoutMetrics(t *testing.T) {
	other := "# TYPE process_cpu_seconds_total counter\nprocess_cpu_seconds_total 1\n"
	for name, tc := range map[string]struct {
		answer http.HandlerFunc
		change func(*Subject)
		want   rollout.Traffic
	}{
		"no route for metrics":         {http.NotFound, nil, rollout.Traffic{Unproven: true}},
		"metrics of something else":    {constant(other), nil, rollout.Traffic{Unproven: true}},
		"metrics":                      {constant(counter(3, 0, 0)), nil, rollout.Traffic{Known: true}},
		"silent, and had metrics":      {http.NotFound, func(s *Subject) { s.Proven = true }, rollout.Traffic{}},
		"judged, without metrics":      {http.NotFound, func(s *Subject) { s.Judged = true }, rollout.Traffic{Unproven: true}},
		"asked for what it holds":      {http.NotFound, func(s *Subject) { s.Reported = true }, rollout.Traffic{Unproven: true}},
		"no pod is ready":              {constant(counter(3, 0, 0)), func(s *Subject) { s.Pods[0].Ready = false }, rollout.Traffic{Unproven: true}},
		"no pod":                       {constant(""), func(s *Subject) { s.Pods = nil }, rollout.Traffic{Unproven: true}},
		"no pod left, and had metrics": {constant(""), func(s *Subject) { s.Pods, s.Proven = nil, true }, rollout.Traffic{Known: true}},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(tc.answer)
			defer server.Close()
			s := unproven(t, server, 1)
			if tc.change != nil {
				tc.change(&s)
			}
			got := NewPods(time.Second, at(now)).Measure(t.Context(), now, []Subject{s})[s.Key]
			if got.Traffic.Unproven != tc.want.Unproven || got.Traffic.Known != tc.want.Known || got.Traffic.At.IsZero() || got.Traffic.Source != "pods" {
				t.Errorf("%+v, want %+v", got.Traffic, tc.want)
			}
			if len(got.Reports) == 1 != s.Reported {
				t.Errorf("reports %+v", got.Reports)
			}
		})
	}
}

// TestMetricsThatStop holds that a process which has read a workload's pods needs no status
// to know that they have metrics.
func TestMetricsThatStop(t *testing.T) {
	var isSilent atomic.Bool
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if isSilent.Load() {
			http.NotFound(w, r)
			return
		}
		constant(counter(3, 0, 0))(w, r)
	}))
	defer server.Close()
	s, p := unproven(t, server, 1), NewPods(time.Second, at(now))
	if r := p.Measure(t.Context(), now, []Subject{s})[s.Key]; !r.Traffic.Known {
		t.Fatalf("%+v", r.Traffic)
	}
	isSilent.Store(true)
	if r := p.Measure(t.Context(), now, []Subject{s})[s.Key]; r.Traffic.Known || r.Traffic.Unproven || r.Traffic.Message == "" {
		t.Errorf("%+v", r.Traffic)
	}
}

// TestProbesAreFew holds what pods without metrics cost: few of a workload are asked, few
// workloads in a round, each time in vain doubles the time to the next, and owners are told
// once.
func TestProbesAreFew(t *testing.T) {
	const owners = maxProbes + 8
	var asked atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		http.NotFound(w, r)
	}))
	defer server.Close()
	fake, told := clocktesting.NewFakePassiveClock(now), 0
	h := NewHub(fake, func(context.Context, Owner) { told++ }, NewPods(time.Second, fake))
	for i := range owners {
		s := unproven(t, server, 10)
		s.Handler = fmt.Sprint("h", i)
		h.Want(Owner{s.Namespace, s.Handler}, []Subject{measuredEvery(time.Minute, s)})
	}
	h.Round(t.Context())
	if got := asked.Load(); got != maxProbes*maxProbed {
		t.Fatalf("%d pods were asked in a round, want %d", got, maxProbes*maxProbed)
	}
	for range 6 * time.Hour / time.Minute {
		h.Round(t.Context())
		h.Round(t.Context())
		fake.SetTime(fake.Now().Add(time.Minute))
	}
	if told != owners {
		t.Errorf("owners were told %d times, want %d", told, owners)
	}
	// After 2, 4, 8, 16, 32 minutes, then each hour.
	if got, want := asked.Load()/maxProbed/owners, int64(6+5); got > want || got < want-2 {
		t.Errorf("each was asked %d times in six hours, want about %d", got, want)
	}
	if left := h.untilNextDue(); left > maxSleep || left < minRoundInterval {
		t.Errorf("it sleeps for %s", left)
	}
}

// TestADrainAsksAtOnce holds that a workload which was asked in vain is asked anew when a
// decision begins to rest on it, and that another reconciliation changes nothing.
func TestADrainAsksAtOnce(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(http.NotFound))
	defer server.Close()
	fake := clocktesting.NewFakePassiveClock(now)
	h := NewHub(fake, nil, NewPods(time.Second, fake))
	s := unproven(t, server, 1)
	of := Owner{s.Namespace, s.Handler}
	h.Want(of, []Subject{measuredEvery(time.Minute, s)})
	for range 20 {
		fake.SetTime(fake.Now().Add(time.Hour))
		h.Round(t.Context())
	}
	due := h.dueAt[s.Key]
	if due.Sub(fake.Now()) != maxProbeInterval {
		t.Fatalf("it is asked again in %s", due.Sub(fake.Now()))
	}
	if h.Want(of, []Subject{measuredEvery(time.Minute, s)}); h.dueAt[s.Key] != due {
		t.Errorf("the same wish changes when it is asked, to %s", h.dueAt[s.Key].Sub(fake.Now()))
	}
	if h.Want(of, []Subject{measuredEvery(30*time.Second, s)}); h.dueAt[s.Key].Sub(fake.Now()) > 30*time.Second {
		t.Errorf("a drain asks in %s", h.dueAt[s.Key].Sub(fake.Now()))
	}
}

// TestOneSourceIsEnough holds that pods without metrics take nothing from what a Prometheus
// measures, and that pods alone may have none.
func TestOneSourceIsEnough(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(http.NotFound))
	defer server.Close()
	s := unproven(t, server, 1)
	other := &scripted{says: rollout.Traffic{Known: true, Source: "scripted", From: now.Add(-time.Minute), At: now, Requests: 7}}
	pods := NewPods(time.Second, at(now))
	for name, sources := range map[string][]Source{"the other first": {other, pods}, "pods first": {pods, other}} {
		h := NewHub(at(now), nil, sources...)
		h.Want(Owner{s.Namespace, s.Handler}, []Subject{measuredEvery(time.Minute, s)})
		h.Round(t.Context())
		if r, _ := h.Read(s.Key); r.Traffic != other.says {
			t.Errorf("%s: %+v", name, r.Traffic)
		}
		if h.IsUnproven() {
			t.Errorf("%s: nothing may measure it", name)
		}
	}
	if !NewHub(at(now), nil, pods).IsUnproven() || NewHub(at(now), nil).IsUnproven() {
		t.Error("pods alone may have no metrics")
	}
}
