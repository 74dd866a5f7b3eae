package signals

import (
	"fmt"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"k8s.io/utils/clock"

	"gati.dev/gati/pkg/rollout"
)

// application is what a pod of a Gati application shows: the runtime's metrics.
type application struct {
	*httptest.Server
	requests *prometheus.CounterVec
	duration *prometheus.HistogramVec
	active   prometheus.Gauge
}

func newApplication(t *testing.T) *application {
	t.Helper()
	labels := []string{"method", "route", "status_code"}
	a := &application{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "gati_http_requests_total"}, labels),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "gati_http_request_duration_seconds", Buckets: []float64{0.01, 0.1, 0.5, 1, 5}}, labels),
		active:   prometheus.NewGauge(prometheus.GaugeOpts{Name: "gati_active_connections"}),
	}
	r := prometheus.NewRegistry()
	r.MustRegister(a.requests, a.duration, a.active)
	metrics := promhttp.HandlerFor(r, promhttp.HandlerOpts{})
	a.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		a.active.Inc()
		metrics.ServeHTTP(w, req)
		a.active.Dec()
		a.requests.WithLabelValues("GET", "/metrics", "200").Inc()
	}))
	t.Cleanup(a.Close)
	return a
}

// serve counts requests as if they had been served.
func (a *application) serve(n int, code string, took time.Duration) {
	a.requests.WithLabelValues("GET", "/users/:id", code).Add(float64(n))
	for range n {
		a.duration.WithLabelValues("GET", "/users/:id", code).Observe(took.Seconds())
	}
}

// binaries are where a Prometheus may be.
func binary(t *testing.T) string {
	t.Helper()
	if path, err := exec.LookPath("prometheus"); err == nil {
		return path
	}
	cache := os.Getenv("GATI_CACHE")
	if cache == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			t.Fatal(err)
		}
		cache = filepath.Join(home, ".cache", "gati")
	}
	found, err := filepath.Glob(filepath.Join(cache, "bin", "prometheus-*", "prometheus"))
	if err != nil || len(found) == 0 {
		t.Skip("there is no prometheus on this machine: neither in PATH nor in the cache, where \"devcluster up --nodes real --prometheus\" puts it")
	}
	return found[0]
}

// TestARealPrometheus holds the queries against a real one: that it understands them,
// and that what it answers is what happened.
func TestARealPrometheus(t *testing.T) {
	app := newApplication(t)
	url := run(t, binary(t), app)
	p, err := NewPrometheus(PrometheusConfig{
		URL: url, Metrics: "gati", Timeout: 10 * time.Second, Limit: 1 << 20, ScrapeInterval: time.Second, NamespaceLabel: "namespace", PodLabel: "pod",
	}, clock.RealClock{})
	if err != nil {
		t.Fatal(err)
	}
	s := users()
	s.Pods[0].Started = time.Now().Add(-time.Minute)
	s.Window = 20 * time.Second
	s.Queries = []Query{
		{Name: "requests", PromQL: Fill(`sum(gati_http_requests_total{namespace='{{namespace}}',pod=~'{{pods}}',route='/users/:id'})`, s, s.Window)},
		{Name: "nothing", PromQL: `sum(there_is_no_such_metric)`},
		{Name: "broken", PromQL: `sum(`},
		{Name: "many", PromQL: `gati_http_requests_total`},
	}
	measure := func() Reading { return p.Measure(t.Context(), time.Now(), []Subject{s})[s.Key] }
	eventually(t, "it is measured, with no request", func() string {
		r := measure()
		if !r.Traffic.Known || r.Traffic.Requests != 0 || r.Traffic.InFlight != 0 {
			return fmt.Sprintf("%+v", r.Traffic)
		}
		return ""
	})
	// The very first requests: their series was not there before, and increase()
	// alone would take them for none.
	app.serve(95, "200", 20*time.Millisecond)
	app.serve(5, "500", 700*time.Millisecond)
	eventually(t, "100 requests are seen, 5 of them failed", func() string {
		r := measure()
		if r.Stats == nil || math.Round(r.Stats.Requests) != 100 || math.Round(r.Stats.Errors) != 5 || r.Traffic.Requests == 0 {
			return fmt.Sprintf("%+v %+v", r.Traffic, r.Stats)
		}
		rate, _ := r.Stats.SuccessRate()
		p99, _, _ := r.Stats.Quantile(0.99)
		p50, _, _ := r.Stats.Quantile(0.5)
		if math.Round(rate) != 95 || p99 < 0.5 || p99 > 1 || p50 < 0.01 || p50 > 0.1 {
			return fmt.Sprintf("success rate %v, p99 %v, p50 %v", rate, p99, p50)
		}
		if a := r.Queries["requests"]; !a.Known || a.Value != 100 {
			return fmt.Sprintf("the query gives %+v", a)
		}
		return ""
	})
	for name, says := range map[string]string{"nothing": "0 series", "broken": "parse", "many": "series where one number"} {
		if a := measure().Queries[name]; a.Known || !strings.Contains(a.Message, says) {
			t.Errorf("query %s: %+v", name, a)
		}
	}
	app.active.Inc()
	eventually(t, "a request is under way", func() string {
		if r := measure(); r.Traffic.InFlight != 1 {
			return fmt.Sprintf("%+v", r.Traffic)
		}
		return ""
	})
	app.active.Dec()
	eventually(t, "it is quiet again", func() string {
		if r := measure(); !r.Traffic.Known || r.Traffic.Requests != 0 || r.Traffic.InFlight != 0 {
			return fmt.Sprintf("%+v", r.Traffic)
		}
		return ""
	})
	app.Close()
	eventually(t, "a pod that is not read any more is unknown", func() string {
		if r := measure(); r.Traffic.Known {
			return fmt.Sprintf("%+v", r.Traffic)
		}
		return ""
	})
}

// TestRealPrometheusTakesEverySet holds that it can parse the queries of each set.
func TestRealPrometheusTakesEverySet(t *testing.T) {
	url := run(t, binary(t), newApplication(t))
	for _, set := range SetNames() {
		p, err := NewPrometheus(PrometheusConfig{
			URL: url, Metrics: set, Timeout: 10 * time.Second, Limit: 1 << 20, ScrapeInterval: time.Second, NamespaceLabel: "namespace", PodLabel: "pod",
		}, clock.RealClock{})
		if err != nil {
			t.Fatal(err)
		}
		s := users()
		s.Window, s.Since = 20*time.Second, time.Now().Add(-10*time.Second)
		var got rollout.Traffic
		eventually(t, set+" is asked", func() string {
			got = p.Measure(t.Context(), time.Now(), []Subject{s})[s.Key].Traffic
			if strings.Contains(got.Message, "connect") {
				return got.Message
			}
			return ""
		})
		if set != "gati" && (got.Known || !strings.Contains(got.Message, "has no metrics of")) {
			t.Errorf("%s: %+v", set, got)
		}
	}
}

// run starts a Prometheus that reads an application every second.
func run(t *testing.T, path string, app *application) string {
	t.Helper()
	dir := t.TempDir()
	config := fmt.Sprintf(`{global: {scrape_interval: 1s}, scrape_configs: [{job_name: pods, static_configs: [{targets: [%q], labels: {namespace: shop, pod: %s}}]}]}`,
		strings.TrimPrefix(app.URL, "http://"), itsPod)
	if err := os.WriteFile(filepath.Join(dir, "prometheus.yml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), path, "--config.file="+filepath.Join(dir, "prometheus.yml"), "--storage.tsdb.path="+dir, "--web.listen-address="+address)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return "http://" + address
}

// eventually asks until there is nothing to say against it.
func eventually(t *testing.T, what string, wrong func() string) {
	t.Helper()
	var why string
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); time.Sleep(500 * time.Millisecond) {
		if why = wrong(); why == "" {
			return
		}
	}
	t.Fatalf("%s: %s", what, why)
}
