package signals

import (
	"errors"
	"fmt"
	"math"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"k8s.io/utils/clock"

	"gati.dev/gati/pkg/rollout"
	"gati.dev/gati/pkg/signals"
	"gati.dev/gati/test/support/await"
	support "gati.dev/gati/test/support/prometheus"
)

const itsPod = "handler-users--v1-7d9fcb6c4-x2x4z"

// usersSubject is a subject with one pod.
func usersSubject() signals.Subject {
	return signals.Subject{
		Key: signals.Key{Namespace: "shop", Handler: "users", Workload: "v1"}, Version: "v1",
		Deployment: "handler-users--v1", Service: "handler-users--v1", ServicePort: 3000,
		Pods:      []signals.Pod{{Name: itsPod, Instance: "u/0", IP: "10.0.0.1", Started: time.Now().Add(-time.Minute)}},
		OwnRoutes: []string{"/metrics", "/health"},
	}
}

// TestARealPrometheus holds the queries against a real one: that it understands them,
// and that what it answers is what happened.
func TestARealPrometheus(t *testing.T) {
	t.Parallel()
	app := newApplication(t)
	url := startPrometheus(t, app)
	p, err := signals.NewPrometheus(signals.PrometheusConfig{
		URL: url, Metrics: "gati", Timeout: 10 * time.Second, Limit: 1 << 20, ScrapeInterval: time.Second, NamespaceLabel: "namespace", PodLabel: "pod",
	}, clock.RealClock{})
	if err != nil {
		t.Fatal(err)
	}
	s := usersSubject()
	s.Window, s.Judged = 20*time.Second, true
	s.Queries = []signals.Query{
		{Name: "requests", PromQL: signals.FillPlaceholders(`sum(gati_http_requests_total{namespace='{{namespace}}',pod=~'{{pods}}',route='/users/:id'})`, s, s.Window)},
		{Name: "nothing", PromQL: `sum(there_is_no_such_metric)`},
		{Name: "broken", PromQL: `sum(`},
		{Name: "many", PromQL: `gati_http_requests_total`},
	}
	measure := func() signals.Reading { return p.Measure(t.Context(), time.Now(), []signals.Subject{s})[s.Key] }
	await.Eventually(t, "it is measured, with no request", func() error {
		r := measure()
		if !r.Traffic.Known || r.Traffic.Requests != 0 || r.Traffic.InFlight != 0 {
			return fmt.Errorf("%+v", r.Traffic)
		}
		return nil
	})
	// The very first requests: their series was not there before, and increase()
	// alone would take them for none.
	app.countServed(95, "200", 20*time.Millisecond)
	app.countServed(5, "500", 700*time.Millisecond)
	await.Eventually(t, "100 requests are seen, 5 of them failed", func() error {
		r := measure()
		if r.Requests == nil || math.Round(*r.Requests) != 100 || r.Traffic.Requests == 0 || len(r.Counters.Instances) != 1 {
			return fmt.Errorf("%+v", r)
		}
		one, atMost := r.Counters.Instances[0], map[float64]int64{}
		for _, b := range one.Buckets {
			atMost[b.Bound] = b.Count
		}
		if one.Requests != 100 || one.Errors != 5 || atMost[0.1] != 95 || atMost[math.Inf(1)] != 100 {
			return fmt.Errorf("%+v", one)
		}
		if a := r.Queries["requests"]; !a.Known || a.Value != 100 {
			return fmt.Errorf("the query gives %+v", a)
		}
		return nil
	})
	for name, says := range map[string]string{"nothing": "0 series", "broken": "parse", "many": "series instead of one number"} {
		if a := measure().Queries[name]; a.Known || !strings.Contains(a.Message, says) {
			t.Errorf("query %s: %+v", name, a)
		}
	}
	app.active.Inc()
	await.Eventually(t, "a request is under way", func() error {
		if r := measure(); r.Traffic.InFlight != 1 {
			return fmt.Errorf("%+v", r.Traffic)
		}
		return nil
	})
	app.active.Dec()
	await.Eventually(t, "it is quiet again", func() error {
		if r := measure(); !r.Traffic.Known || r.Traffic.Requests != 0 || r.Traffic.InFlight != 0 {
			return fmt.Errorf("%+v", r.Traffic)
		}
		return nil
	})
	app.Close()
	await.Eventually(t, "a pod that is not read any more is unknown", func() error {
		if r := measure(); r.Traffic.Known {
			return fmt.Errorf("%+v", r.Traffic)
		}
		return nil
	})
}

// TestRealPrometheusTakesEverySet holds that it can parse the queries of each set.
func TestRealPrometheusTakesEverySet(t *testing.T) {
	t.Parallel()
	url := startPrometheus(t, newApplication(t))
	for _, set := range signals.SetNames() {
		p, err := signals.NewPrometheus(signals.PrometheusConfig{
			URL: url, Metrics: set, Timeout: 10 * time.Second, Limit: 1 << 20, ScrapeInterval: time.Second, NamespaceLabel: "namespace", PodLabel: "pod",
		}, clock.RealClock{})
		if err != nil {
			t.Fatal(err)
		}
		s := usersSubject()
		s.Window, s.Since = 20*time.Second, time.Now().Add(-10*time.Second)
		var got rollout.Traffic
		await.Eventually(t, set+" is asked", func() error {
			got = p.Measure(t.Context(), time.Now(), []signals.Subject{s})[s.Key].Traffic
			if strings.Contains(got.Message, "connect") || strings.Contains(got.Message, "503") { // It starts.
				return errors.New(got.Message)
			}
			return nil
		})
		if set != "gati" && (got.Known || !strings.Contains(got.Message, "has no metrics of")) {
			t.Errorf("%s: %+v", set, got)
		}
	}
}

// TestARealPrometheusHasThreeThousandPods holds that every reading of 3,000 pods is known
// within the limit of one answer, which all of them together exceed. One workload whose
// answer alone exceeds it leaves all but its chunk known.
func TestARealPrometheusHasThreeThousandPods(t *testing.T) {
	t.Parallel()
	const limit, perChunk = 1 << 20, 25
	all := newFleet()
	target := httptest.NewServer(all)
	defer target.Close()
	url := support.Start(t, fmt.Sprintf(`{global: {scrape_interval: 3s}, scrape_configs: [{job_name: pods, honor_labels: true, static_configs: [{targets: [%q]}]}]}`,
		strings.TrimPrefix(target.URL, "http://")), nil)
	p, err := signals.NewPrometheus(signals.PrometheusConfig{
		URL: url, Metrics: "gati", Timeout: 30 * time.Second, Limit: limit, ScrapeInterval: 3 * time.Second, NamespaceLabel: "namespace", PodLabel: "pod",
	}, clock.RealClock{})
	if err != nil {
		t.Fatal(err)
	}
	await.Eventually(t, "every reading is known", func() error {
		for key, r := range p.Measure(t.Context(), time.Now(), all.subjects) {
			if err := all.checkReading(r); err != nil {
				return fmt.Errorf("%v: %w", key, err)
			}
		}
		return nil
	})
	all.swellAnswers(all.subjects[157])
	await.Eventually(t, "one chunk is too large, and the others are known", func() error {
		got, unknown := p.Measure(t.Context(), time.Now(), all.subjects), 0
		for key, r := range got {
			if strings.Contains(r.Traffic.Message, "raise prometheus-answer-limit") {
				unknown++
			} else if err := all.checkReading(r); err != nil {
				return fmt.Errorf("%v: %w", key, err)
			}
		}
		if got[all.subjects[157].Key].Traffic.Known || unknown > perChunk {
			return fmt.Errorf("%d of %d workloads are unknown, want one chunk of at most %d", unknown, len(got), perChunk)
		}
		return nil
	})
}
