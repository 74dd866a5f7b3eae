package observed

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/http/httptest"
	"regexp"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
)

// traffic is the reported traffic of one workload's pods.
type traffic struct {
	// requests and errors are those of any window, and of each four seconds for
	// counters.
	requests, errors float64
	// silent is true when its pods are not read.
	silent bool
}

// trafficSource speaks the API of the real one, and knows what a test tells it of the
// pods that the cluster really has. A workload of which it was told nothing has no
// requests.
type trafficSource struct {
	*httptest.Server

	mu     sync.Mutex
	reader client.Reader
	says   map[string]traffic
	// counted has the counters by pod and code, countedAt when each pod last counted.
	counted   map[string]float64
	countedAt map[string]time.Time
}

// newTrafficSource returns down until it is told where to read the pods.
func newTrafficSource() *trafficSource {
	p := &trafficSource{says: map[string]traffic{}, counted: map[string]float64{}, countedAt: map[string]time.Time{}}
	p.Server = httptest.NewServer(http.HandlerFunc(p.answerScrape))
	return p
}

func (p *trafficSource) setReader(reader client.Reader) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.reader = reader
}

func (p *trafficSource) setTraffic(namespace, workload string, t traffic) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.says[namespace+"/"+workload] = t
}

// countUntilNow lets a pod count until now, and returns its counters.
func (p *trafficSource) countUntilNow(pod string, t traffic) (good, failed float64) {
	if at, known := p.countedAt[pod]; known {
		spans := time.Since(at).Seconds() / 4
		p.counted[pod+"/good"] += spans * (t.requests - t.errors)
		p.counted[pod+"/failed"] += spans * t.errors
	}
	p.countedAt[pod] = time.Now()
	return math.Floor(p.counted[pod+"/good"]), math.Floor(p.counted[pod+"/failed"])
}

var windows = regexp.MustCompile(`"gati_part", "samples/(\d+)"`)

func (p *trafficSource) answerScrape(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	reader := p.reader
	p.mu.Unlock()
	if reader == nil {
		http.Error(w, "there is no cluster yet", http.StatusServiceUnavailable)
		return
	}
	var pods corev1.PodList
	if err := reader.List(r.Context(), &pods, client.HasLabels{v1.LabelHandler}); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	result := []any{}
	row := func(value float64, labels ...string) {
		metric := map[string]string{}
		for i := 0; i < len(labels); i += 2 {
			metric[labels[i]] = labels[i+1]
		}
		result = append(result, map[string]any{"metric": metric, "value": []any{time.Now().Unix(), fmt.Sprint(value)}})
	}
	for i := range pods.Items {
		pod := &pods.Items[i]
		t := p.says[pod.Namespace+"/"+pod.Labels[v1.LabelWorkload]]
		if pod.Status.Phase != corev1.PodRunning || t.silent {
			continue
		}
		is := func(part string, more ...string) []string {
			return append([]string{"gati_part", part, "namespace", pod.Namespace, "pod", pod.Name}, more...)
		}
		row(float64(time.Now().UnixMilli())/1000, is("alive")...)
		row(0, is("active")...)
		good, failed := p.countUntilNow(string(pod.UID), t)
		row(good, is("counters", "route", "/users", "status_code", "200")...)
		row(failed, is("counters", "route", "/users", "status_code", "500")...)
		for _, m := range windows.FindAllStringSubmatch(r.FormValue("query"), -1) {
			row(9, is("samples/"+m[1])...)
			row(t.requests-t.errors, is("requests/"+m[1], "route", "/users", "status_code", "200")...)
			row(t.errors, is("requests/"+m[1], "route", "/users", "status_code", "500")...)
			row(60, is("requests/"+m[1], "route", "/health", "status_code", "200")...)
		}
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{"status": "success", "data": map[string]any{"resultType": "vector", "result": result}})
}
