package observed

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/test/support/await"
	"gati.dev/gati/test/support/monitoring"
)

// startPrometheus runs one that reads gati-webhook, and an application as the pod of the
// handler users behind two Services.
func startPrometheus(t *testing.T, ns, app string) monitoring.Server {
	t.Helper()
	metrics, err := url.Parse(env.Webhook.MetricsURL())
	if err != nil {
		t.Fatal(err)
	}
	host, err := url.Parse(env.Webhook.URL())
	if err != nil {
		t.Fatal(err)
	}
	gati := monitoring.Gati{
		Addresses: []string{metrics.Host}, ServerName: host.Hostname(),
		CA:    env.Must(t, "", "-n", "gati-system", "get", "secret", "gati-webhook-ca", "-o", "go-template={{index .data \"tls.crt\" | base64decode}}"),
		Token: env.Must(t, "", "-n", "gati-system", "create", "token", "gati-metrics-reader"),
	}
	return monitoring.Start(t, gati, []monitoring.Pod{{
		Address: app, Namespace: ns, Name: "handler-users-x", Handler: "users", Version: "v1",
		Services: []string{"handler-users", "handler-users--v1"},
	}})
}

// newApplication serves the metrics of a Gati application's pod, which counts a request
// with each scrape.
func newApplication(t *testing.T) string {
	labels := []string{"method", "route", "status_code"}
	requests := prometheus.NewCounterVec(prometheus.CounterOpts{Name: "gati_http_requests_total"}, labels)
	duration := prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "gati_http_request_duration_seconds"}, labels)
	active := prometheus.NewGauge(prometheus.GaugeOpts{Name: "gati_active_connections"})
	r := prometheus.NewRegistry()
	r.MustRegister(requests, duration, active)
	metrics := promhttp.HandlerFor(r, promhttp.HandlerOpts{})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		requests.WithLabelValues("GET", "/users/:id", "200").Inc()
		duration.WithLabelValues("GET", "/users/:id", "200").Observe(0.02)
		metrics.ServeHTTP(w, req)
	}))
	t.Cleanup(s.Close)
	return strings.TrimPrefix(s.URL, "http://")
}

// TestEveryQueryFindsData holds that a real Prometheus that reads gati-webhook has data
// for every panel and recording rule, and every metric that an alert asks for; that the
// alerts are as the cluster is; and that the monitors' labels read each pod once.
func TestEveryQueryFindsData(t *testing.T) {
	ns := makeNamespace(t, "observed")
	healthy := builders.MakeHandler("users").Namespace(ns).Image("app:v1").Path("/users").Obj()
	canary := makeUsersHandler("v1")
	canary.Namespace, canary.Name, canary.Spec.Path = ns, "orders", "/orders"
	foreign := &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "handler-broken"},
		Spec:       corev1.ServiceSpec{Ports: []corev1.ServicePort{{Port: 80}}},
	}
	if err := admin.Create(t.Context(), foreign); err != nil {
		t.Fatal(err)
	}
	stalled := builders.MakeHandler("broken").Namespace(ns).Image("app:v1").Path("/broken").Obj()
	for _, h := range []*v1.GatiHandler{healthy, canary, stalled} {
		applyHandler(t, h.DeepCopy())
	}
	awaitHealth(t, client.ObjectKeyFromObject(healthy), v1.Healthy, "v1")
	awaitHealth(t, client.ObjectKeyFromObject(canary), v1.Healthy, "v1")
	canary.Spec.Image = "app:v2"
	applyHandler(t, canary.DeepCopy())
	awaitHealth(t, client.ObjectKeyFromObject(canary), v1.Paused, "v1")

	p := startPrometheus(t, ns, newApplication(t))
	p.CheckQueries(t)
	await.Eventually(t, "the alert of the stalled handler, and no other of this namespace", func() error {
		found, err := p.Query(t, `ALERTS{alertname!~"GatiNotificationsWait"}`)
		if err != nil {
			return err
		}
		if len(found) == 0 {
			return errors.New("no alert")
		}
		for _, alert := range found {
			if m := alert.Metric; m["alertname"] != "GatiHandlerStalled" || m["namespace"] == ns && m["name"] != "broken" {
				return fmt.Errorf("%v", m)
			}
		}
		return nil
	})
	found, err := p.Query(t, `count(up{job="gati-handlers"})`)
	if err != nil || len(found) != 1 || found[0].Value[1] != "1" {
		t.Errorf("a pod behind two Services is read %v times: %v", found, err)
	}
	checkSeries(t, ns)
}

// maxSeries is the most that a handler may have.
const maxSeries = 10

// checkSeries holds that no series but those of pkg/metrics names a handler, so that the
// others do not grow with them. Handlers in other namespaces have the same names.
func checkSeries(t *testing.T, ns string) {
	t.Helper()
	text, err := env.Webhook.Metrics(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for line := range strings.Lines(text) {
		for _, name := range []string{"users", "orders", "broken"} {
			switch {
			case strings.HasPrefix(line, "#") || !strings.Contains(line, `"`+name+`"`):
			case !strings.HasPrefix(line, "gati_handler_"):
				t.Errorf("a series beside those of handlers names %s: %s", name, line)
			case strings.Contains(line, `namespace="`+ns+`"`):
				count[name]++
			}
		}
	}
	for _, name := range []string{"users", "orders", "broken"} {
		if n := count[name]; n == 0 || n > maxSeries {
			t.Errorf("%s has %d series, want 1 to %d", name, n, maxSeries)
		}
	}
}
