package observed

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"sigs.k8s.io/controller-runtime/pkg/client"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"
	"sigs.k8s.io/yaml"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/test/support/await"
	support "gati.dev/gati/test/support/prometheus"
	"gati.dev/gati/test/support/repository"
)

// server is a running Prometheus.
type server string

// query returns the series that an expression leads to now.
func (s server) query(t *testing.T, expr string) ([]series, error) {
	t.Helper()
	var answer struct {
		Error string
		Data  struct{ Result []series }
	}
	err := s.get(t, "/api/v1/query?query="+url.QueryEscape(expr), &answer)
	if err == nil && answer.Error != "" {
		err = fmt.Errorf("%s", answer.Error)
	}
	return answer.Data.Result, err
}

type series struct {
	Metric map[string]string
	Value  [2]any
}

func (s server) get(t *testing.T, path string, into any) error {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, string(s)+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	return json.NewDecoder(answer.Body).Decode(into)
}

// startPrometheus runs one that reads gati-webhook as the page says, and an application
// with the labels that the monitors give to pods.
func startPrometheus(t *testing.T, app string) server {
	t.Helper()
	ca := env.Must(t, "", "-n", "gati-system", "get", "secret", "gati-webhook-ca", "-o", "go-template={{index .data \"tls.crt\" | base64decode}}")
	token := env.Must(t, "", "-n", "gati-system", "create", "token", "gati-metrics-reader")
	metrics, err := url.Parse(env.Webhook.MetricsURL())
	if err != nil {
		t.Fatal(err)
	}
	host, err := url.Parse(env.Webhook.URL())
	if err != nil {
		t.Fatal(err)
	}
	scrape := map[string]any{}
	for _, b := range blocks(t, "observability.md") {
		if b.kind == "yaml" && strings.HasPrefix(b.text, "scheme: https") {
			text := strings.NewReplacer("/etc/gati/", "", "gati-webhook.gati-system.svc", host.Hostname()).Replace(b.text)
			if err := yaml.Unmarshal([]byte(text), &scrape); err != nil {
				t.Fatal(err)
			}
		}
	}
	if len(scrape) == 0 {
		t.Fatal("docs/observability.md has no example of a scrape")
	}
	scrape["job_name"], scrape["honor_labels"] = "gati-webhook", true
	scrape["static_configs"] = []any{map[string]any{"targets": []string{metrics.Host}}}
	pods := func(service string) any {
		return map[string]any{"targets": []string{app}, "labels": map[string]string{
			"namespace": "observed", "pod": "handler-users-x", "gati_dev_handler": "users", "gati_dev_version": "v1", "service": service,
		}}
	}
	config := map[string]any{
		"global":     map[string]any{"scrape_interval": "1s", "evaluation_interval": "1s"},
		"rule_files": []string{"rules.yaml"},
		"scrape_configs": []any{scrape, map[string]any{
			"job_name":       "gati-handlers",
			"static_configs": []any{pods("handler-users"), pods("handler-users--v1")},
			// As the ServiceMonitor says.
			"relabel_configs": []any{map[string]any{"action": "labeldrop", "regex": "service"}},
		}},
	}
	text, err := yaml.Marshal(config)
	if err != nil {
		t.Fatal(err)
	}
	return server(support.Start(t, string(text), map[string]string{"rules.yaml": rules(t), "token": token, "ca.crt": ca}))
}

// rules returns the shipped rules in the form of a file of Prometheus.
func rules(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(repository.Path("manifests/monitoring/common/rules.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var object struct {
		Spec any `json:"spec"`
	}
	if err := yaml.Unmarshal(text, &object); err != nil {
		t.Fatal(err)
	}
	out, err := yaml.Marshal(object.Spec)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
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

// expressions returns those of the dashboard, by panel.
func expressions(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile(repository.Path("manifests/monitoring/common/dashboards/gati.json"))
	if err != nil {
		t.Fatal(err)
	}
	var d struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	fill := strings.NewReplacer("$namespace", ".*", "$handler", ".*", "$__rate_interval", "1m")
	out := map[string]string{}
	for _, p := range d.Panels {
		for i, target := range p.Targets {
			out[fmt.Sprintf("%s/%d", p.Title, i)] = fill.Replace(target.Expr)
		}
	}
	return out
}

var (
	selector  = regexp.MustCompile(`\{[^}]*\}|"[^"]*"|\[[^\]]*\]|\b(?:by|on) \([^)]*\)`)
	metricRef = regexp.MustCompile(`\b[a-z_][a-z0-9_]*(?::[a-z0-9_:]+)?\b(?: ?\()?`)
	operators = []string{"or", "and", "by", "on", "sum", "max", "min", "count"}
)

// metricsOf returns the names of the metrics in an expression.
func metricsOf(expr string) (out []string) {
	for _, name := range metricRef.FindAllString(selector.ReplaceAllString(expr, ""), -1) {
		if !strings.HasSuffix(name, "(") && !slices.Contains(operators, name) {
			out = append(out, name)
		}
	}
	return out
}

// TestMetricsOfAnExpression holds that the search itself works.
func TestMetricsOfAnExpression(t *testing.T) {
	for expr, want := range map[string][]string{
		`sum by (a, le) (rate(x_total{y="z"}[5m])) or 0 * level:x:rate5m`:       {"x_total", "level:x:rate5m"},
		`absent(up) and on (name) max by (name) (q_depth{name=~"gati.+"}) > 60`: {"up", "q_depth"},
	} {
		if got := metricsOf(expr); !slices.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", expr, got, want)
		}
	}
}

// TestEveryQueryFindsData holds that a real Prometheus that reads gati-webhook has data
// for every panel and recording rule, and every metric that an alert asks for; that the
// alerts are as the cluster is; and that the monitors' labels read each pod once.
func TestEveryQueryFindsData(t *testing.T) {
	env.Namespace(t, "observed")
	healthy := builders.MakeHandler("users").Namespace("observed").Image("app:v1").Path("/users").Obj()
	canary := users("v1")
	canary.Namespace, canary.Name, canary.Spec.Path = "observed", "orders", "/orders"
	stalled := builders.MakeHandler("broken").Namespace("observed").Image("app:v1").Path("/broken").Obj()
	stalled.Spec.Route = &v1.Route{ParentRefs: []gatewayv1.ParentReference{{Name: "gw"}}} // The cluster has no Gateway API.
	for _, h := range []*v1.GatiHandler{healthy, canary, stalled} {
		apply(t, h.DeepCopy())
	}
	reach(t, client.ObjectKeyFromObject(healthy), v1.Healthy, "v1")
	reach(t, client.ObjectKeyFromObject(canary), v1.Healthy, "v1")
	canary.Spec.Image = "app:v2"
	apply(t, canary.DeepCopy())
	reach(t, client.ObjectKeyFromObject(canary), v1.Paused, "v1")

	p := startPrometheus(t, newApplication(t))
	for title, expr := range expressions(t) {
		await.Eventually(t, "data for "+title, func() error {
			found, err := p.query(t, expr)
			if err == nil && len(found) == 0 {
				err = fmt.Errorf("no data for %s", expr)
			}
			return err
		})
	}
	var names struct{ Data []string }
	await.Eventually(t, "the metrics of every rule", func() error {
		if err := p.get(t, "/api/v1/label/__name__/values", &names); err != nil {
			return err
		}
		return checkRules(t, p, names.Data)
	})
	await.Eventually(t, "the alert of the stalled handler, and no other of this namespace", func() error {
		found, err := p.query(t, `ALERTS{alertname!~"GatiNotificationsWait"}`)
		if err != nil {
			return err
		}
		if len(found) == 0 {
			return errors.New("no alert")
		}
		for _, alert := range found {
			if m := alert.Metric; m["alertname"] != "GatiHandlerStalled" || m["namespace"] == "observed" && m["name"] != "broken" {
				return fmt.Errorf("%v", m)
			}
		}
		return nil
	})
	found, err := p.query(t, `count(up{job="gati-handlers"})`)
	if err != nil || len(found) != 1 || found[0].Value[1] != "1" {
		t.Errorf("a pod behind two Services is read %v times: %v", found, err)
	}
	checkSeries(t)
}

// checkRules returns the first rule that fails, or asks for a metric that there is not.
func checkRules(t *testing.T, p server, known []string) error {
	t.Helper()
	var answer struct {
		Data struct {
			Groups []struct {
				Rules []struct{ Name, Type, Query, Health, LastError string }
			}
		}
	}
	if err := p.get(t, "/api/v1/rules", &answer); err != nil {
		return err
	}
	count := 0
	for _, g := range answer.Data.Groups {
		for _, r := range g.Rules {
			count++
			if r.Health != "ok" {
				return fmt.Errorf("%s: %s %s", r.Name, r.Health, r.LastError)
			}
			for _, name := range metricsOf(r.Query) {
				if !slices.Contains(known, name) {
					return fmt.Errorf("%s asks for %s, which does not exist", r.Name, name)
				}
			}
			if r.Type == "recording" && !slices.Contains(known, r.Name) {
				return fmt.Errorf("%s records nothing", r.Name)
			}
		}
	}
	if count == 0 {
		return fmt.Errorf("Prometheus has no rules")
	}
	return nil
}

// maxSeries is the most that a handler may have.
const maxSeries = 10

// checkSeries holds that no series but those of pkg/metrics names a handler, so that the
// others do not grow with them.
func checkSeries(t *testing.T) {
	t.Helper()
	text, err := env.Webhook.Metrics(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for line := range strings.Lines(text) {
		for _, name := range []string{"users", "orders", "broken"} {
			if !strings.HasPrefix(line, "#") && strings.Contains(line, `"`+name+`"`) {
				count[name]++
				if !strings.HasPrefix(line, "gati_handler_") {
					t.Errorf("a series beside those of handlers names %s: %s", name, line)
				}
			}
		}
	}
	for name, n := range count {
		if n > 2*maxSeries || name != "users" && n > maxSeries { // There is a users in shop, too.
			t.Errorf("%s has %d series", name, n)
		}
	}
	if count["orders"] == 0 || count["broken"] == 0 {
		t.Errorf("handlers without series: %v after %s", count, time.Now())
	}
}
