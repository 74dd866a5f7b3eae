package signals

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/utils/clock"
	clocktesting "k8s.io/utils/clock/testing"
)

// now is the time of every test.
var now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// server answers every query with the same, and counts.
type server struct {
	*httptest.Server
	asked atomic.Int64
	query atomic.Value
}

// answering serves what a handler writes, with our time in the header Date.
func answering(t testing.TB, handle http.HandlerFunc) *server {
	t.Helper()
	s := &server{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.asked.Add(1)
		s.query.Store(r.FormValue("query"))
		w.Header().Set("Date", now.Format(http.TimeFormat))
		w.Header().Set("Content-Type", "application/json")
		handle(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

// prometheus is a source that asks a server.
func (s *server) prometheus(t testing.TB, change ...func(*PrometheusConfig)) *Prometheus {
	t.Helper()
	c := PrometheusConfig{
		URL: s.URL, Metrics: "gati", Timeout: time.Minute, Limit: 1 << 20, ScrapeInterval: 15 * time.Second,
		NamespaceLabel: "namespace", PodLabel: "pod",
	}
	for _, f := range change {
		f(&c)
	}
	p, err := NewPrometheus(c, at(now))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func at(t time.Time) clock.PassiveClock { return clocktesting.NewFakePassiveClock(t) }

// users is a subject with one pod, which has had metrics before.
// measuredEvery returns a subject that is measured at an interval.
func measuredEvery(every time.Duration, s Subject) Subject {
	s.Every = every
	return s
}

func users() Subject {
	return Subject{
		Key: Key{"shop", "users", "v1"}, Version: "v1", Deployment: "handler-users--v1", Service: "handler-users--v1", ServicePort: 3000,
		Pods:      []Pod{{Name: "handler-users--v1-7d9fcb6c4-x2x4z", Instance: "u/0", IP: "10.0.0.1", Started: now.Add(-time.Hour), Ready: true}},
		Proven:    true,
		OwnRoutes: []string{"/metrics", "/health"},
	}
}

const itsPod = "handler-users--v1-7d9fcb6c4-x2x4z"

// series is one row of an answer.
func series(part, labels, value string) string {
	if labels != "" {
		labels = "," + labels
	}
	return fmt.Sprintf(`{"metric":{"gati_part":%q%s},"value":[%d,%q]}`, part, labels, now.Unix(), value)
}

func pod(name, more string) string {
	out := fmt.Sprintf(`"namespace":"shop","pod":%q`, name)
	if more != "" {
		out += "," + more
	}
	return out
}

// vector is an answer.
func vector(rows ...string) string {
	out := ""
	for i, r := range rows {
		if i > 0 {
			out += ","
		}
		out += r
	}
	return `{"status":"success","data":{"resultType":"vector","result":[` + out + `]}}`
}

// fresh returns the rows of a pod that was scraped just now.
func fresh(name string) string {
	return series("alive", pod(name, ""), fmt.Sprint(now.Add(-5*time.Second).Unix())) + "," +
		series("samples/60", pod(name, ""), "4") + "," + series("active", pod(name, ""), "1") + "," +
		series("requests/60", pod(name, `"route":"/metrics","status_code":"200"`), "4")
}

// constant writes the same text to everybody.
func constant(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(text)) }
}
