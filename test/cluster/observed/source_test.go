package observed

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
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
	// rows is how many more rows a query about its namespace is answered with.
	rows int
}

// trafficSource speaks the API of the real one, and knows what a test tells it of the
// pods that the cluster really has. A workload of which it was told nothing has no
// requests.
type trafficSource struct {
	*httptest.Server

	mu     sync.Mutex
	reader client.Reader
	says   map[string]traffic
	// scraped has the pods that it has ever read, with the time of the last look.
	scraped map[types.UID]scrapedPod
	// counted has the counters by pod and code, countedAt when each pod last counted.
	counted   map[string]float64
	countedAt map[string]time.Time
	// flooded counts the rows that queries about a namespace were answered with beyond
	// what they asked for.
	flooded map[string]int
}

// scrapedPod is a pod and when it was last there.
type scrapedPod struct {
	corev1.Pod
	at time.Time
}

// lookback is how long a pod that went is still answered for, as Prometheus does.
const lookback = 10 * time.Second

// scrapePods returns the pods that run, and those that ran a moment ago.
func (p *trafficSource) scrapePods(running []corev1.Pod) (out []corev1.Pod) {
	for _, pod := range running {
		if pod.Status.Phase == corev1.PodRunning {
			p.scraped[pod.UID] = scrapedPod{pod, time.Now()}
		}
	}
	for uid, pod := range p.scraped {
		if time.Since(pod.at) > lookback {
			delete(p.scraped, uid)
			continue
		}
		out = append(out, pod.Pod)
	}
	return out
}

// newTrafficSource returns down until it is told where to read the pods.
func newTrafficSource() *trafficSource {
	p := &trafficSource{scraped: map[types.UID]scrapedPod{}, says: map[string]traffic{}, counted: map[string]float64{}, countedAt: map[string]time.Time{}, flooded: map[string]int{}}
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
	query := r.FormValue("query")
	result, flood := []any{}, ""
	row := func(value float64, labels ...string) {
		metric := map[string]string{}
		for i := 0; i < len(labels); i += 2 {
			metric[labels[i]] = labels[i+1]
		}
		result = append(result, map[string]any{"metric": metric, "value": []any{time.Now().Unix(), fmt.Sprint(value)}})
	}
	for _, pod := range p.scrapePods(pods.Items) {
		t := p.says[pod.Namespace+"/"+pod.Labels[v1.LabelWorkload]]
		if t.silent {
			continue
		}
		is := func(part string, more ...string) []string {
			return append([]string{"gati_part", part, "namespace", pod.Namespace, "pod", pod.Name}, more...)
		}
		if t.rows > 0 && strings.Contains(query, pod.Namespace) {
			flood += strings.Repeat(`{"metric":{"gati_part":"active","namespace":"`+pod.Namespace+`","pod":"`+pod.Name+`"},"value":[0,"0"]},`, t.rows)
			p.flooded[pod.Namespace] += t.rows
		}
		row(float64(time.Now().UnixMilli())/1000, is("alive")...)
		row(0, is("active")...)
		good, failed := p.countUntilNow(string(pod.UID), t)
		row(good, is("counters", "route", "/users", "status_code", "200")...)
		row(failed, is("counters", "route", "/users", "status_code", "500")...)
		for _, m := range windows.FindAllStringSubmatch(query, -1) {
			row(9, is("samples/"+m[1])...)
			row(t.requests-t.errors, is("requests/"+m[1], "route", "/users", "status_code", "200")...)
			row(t.errors, is("requests/"+m[1], "route", "/users", "status_code", "500")...)
			row(60, is("requests/"+m[1], "route", "/health", "status_code", "200")...)
		}
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, `{"status":"success","data":{"resultType":"vector","result":[`+flood)
	for _, r := range result {
		_ = json.NewEncoder(w).Encode(r)
		_, _ = io.WriteString(w, ",")
	}
	_, _ = io.WriteString(w, `{"metric":{"gati_part":"end"},"value":[0,"0"]}]}}`)
}

// answeredRows returns how many rows beyond what was asked for a namespace has had.
func (p *trafficSource) answeredRows(namespace string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.flooded[namespace]
}
