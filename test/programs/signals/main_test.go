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
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"gati.dev/gati/internal/local"
	"gati.dev/gati/test/support/repository"
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

// serve counts requests as if they had been served.
func (a *application) serve(n int, code string, took time.Duration) {
	a.requests.WithLabelValues("GET", "/users/:id", code).Add(float64(n))
	for range n {
		a.duration.WithLabelValues("GET", "/users/:id", code).Observe(took.Seconds())
	}
}

// program is the Prometheus that a devcluster with one would run. It is fetched
// where it is not in the cache.
var program = sync.OnceValues(func() (string, error) {
	tools, err := local.FindTools(repository.Bin())
	if err != nil {
		return "", err
	}
	dir, err := exec.Command(tools.Devcluster, "assets", "--prometheus").Output()
	if failed, ok := errors.AsType[*exec.ExitError](err); ok {
		return "", fmt.Errorf("devcluster assets --prometheus: %w\n%s", err, failed.Stderr)
	}
	return filepath.Join(strings.TrimSpace(string(dir)), "prometheus"), err
})

// binary fails rather than skips where there is no Prometheus: a test that does
// not run proves nothing.
func binary(t *testing.T) string {
	t.Helper()
	path, err := program()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// run starts a Prometheus that reads an application every second.
func run(t *testing.T, app *application) string {
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
	cmd := exec.CommandContext(t.Context(), binary(t), "--config.file="+filepath.Join(dir, "prometheus.yml"), "--storage.tsdb.path="+dir, "--web.listen-address="+address)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return "http://" + address
}
