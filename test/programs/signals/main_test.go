// Package signals holds the queries of pkg/signals against a real Prometheus, out
// of Debian's package: that it understands them, and that what they tell is what
// happened.
//
//	go test ./test/programs/signals
//
// GATI_BIN is the folder of devcluster, which gets Prometheus, bin when
// empty.
package signals

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	support "gati.dev/gati/test/support/prometheus"
	"gati.dev/gati/test/support/watchdog"
)

func TestMain(m *testing.M) { os.Exit(watchdog.Run("", func(string) int { return m.Run() })) }

// application serves the metrics of a Gati application's pod.
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

// countServed counts requests as if they had been served.
func (a *application) countServed(n int, code string, took time.Duration) {
	a.requests.WithLabelValues("GET", "/users/:id", code).Add(float64(n))
	for range n {
		a.duration.WithLabelValues("GET", "/users/:id", code).Observe(took.Seconds())
	}
}

// startPrometheus starts a Prometheus that reads an application every second.
func startPrometheus(t *testing.T, app *application) string {
	t.Helper()
	return support.Start(t, fmt.Sprintf(`{global: {scrape_interval: 1s}, scrape_configs: [{job_name: pods, static_configs: [{targets: [%q], labels: {namespace: shop, pod: %s}}]}]}`,
		strings.TrimPrefix(app.URL, "http://"), itsPod), nil)
}
