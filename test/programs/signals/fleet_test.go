package signals

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"gati.dev/gati/pkg/signals"
)

const workloads, podsOfEach = 300, 10

// fleet serves the metrics of many pods as one target of Prometheus.
type fleet struct {
	subjects []signals.Subject

	mu   sync.Mutex
	page strings.Builder
}

func newFleet() *fleet {
	f := &fleet{}
	for i := range workloads {
		s := usersSubject()
		s.Key = signals.Key{Namespace: fmt.Sprint("shop-", i/50), Handler: fmt.Sprint("h", i%50), Workload: "v1"}
		s.Deployment, s.Pods, s.Judged = fmt.Sprintf("handler-h%d--v1", i%50), nil, true
		for j := range podsOfEach {
			s.Pods = append(s.Pods, signals.Pod{
				Name: fmt.Sprintf("%s-7d9fcb6c4-x2x%02d", s.Deployment, j), Instance: fmt.Sprint(i, "/", j), Started: time.Now().Add(-time.Minute),
			})
		}
		f.subjects = append(f.subjects, s)
		for _, pod := range s.Pods {
			labels := fmt.Sprintf(`namespace=%q,pod=%q`, s.Namespace, pod.Name)
			fmt.Fprintf(&f.page, "gati_active_connections{%s} 0\n", labels)
			fmt.Fprintf(&f.page, "gati_http_requests_total{%s,route=\"/users/:id\",status_code=\"200\"} 100\n", labels)
			for _, bound := range []string{"0.01", "0.1", "0.5", "1", "5", "+Inf"} {
				fmt.Fprintf(&f.page, "gati_http_request_duration_seconds_bucket{%s,route=\"/users/:id\",le=%q} 100\n", labels, bound)
			}
		}
	}
	return f
}

// swellAnswers gives the pods of a workload so many routes that their answer is too large.
func (f *fleet) swellAnswers(s signals.Subject) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, pod := range s.Pods {
		for route := range 800 {
			fmt.Fprintf(&f.page, "gati_http_requests_total{namespace=%q,pod=%q,route=\"/r%d\",status_code=\"200\"} 0\n", s.Namespace, pod.Name, route)
		}
	}
}

// ServeHTTP implements http.Handler.
func (f *fleet) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	w.Header().Set("Content-Type", "text/plain; version=0.0.4")
	_, _ = io.WriteString(w, f.page.String())
}

// checkReading returns an error unless a reading is that of a workload of the fleet.
func (f *fleet) checkReading(r signals.Reading) error {
	if !r.Traffic.Known || !r.Counters.Known || len(r.Counters.Instances) != podsOfEach || r.Counters.Instances[0].Requests != 100 {
		return fmt.Errorf("%+v", r)
	}
	return nil
}
