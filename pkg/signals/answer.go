package signals

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/common/model"
)

// rows are an answer, by whom it is about: a pod with its namespace, or a gateway's
// name of a Service, or "" for the gateway itself.
type rows map[string]*row

// row is what an answer has about one of them.
type row struct {
	namespace, pod string
	alive          time.Time
	active         float64
	windows        map[time.Duration]*looked
	// wrong says why nothing of it counts.
	wrong string
}

// looked is what a row has of one window.
type looked struct {
	samples  float64
	requests []counted
	buckets  []counted
}

// counted is a number with the labels that it was counted by.
type counted struct {
	route, code string
	bound       float64
	n           float64
}

// read sorts an answer. A row that makes no sense spoils what it is about.
func (s selection) read(vector model.Vector) rows {
	out := rows{}
	for _, sample := range vector {
		r := out.at(s, sample.Metric)
		value := float64(sample.Value)
		name, window, err := partOf(string(sample.Metric[partLabel]))
		switch {
		case err != nil:
			r.wrong = err.Error()
		case math.IsNaN(value) || math.IsInf(value, 0) || value < 0:
			r.wrong = fmt.Sprintf("the source gives %v for %s", value, name)
		default:
			r.add(s, name, window, sample.Metric, value)
		}
	}
	return out
}

func (out rows) at(s selection, labels model.Metric) *row {
	namespace, pod := string(labels[model.LabelName(s.namespace)]), string(labels[model.LabelName(s.pod)])
	key := namespace + "/" + pod
	if s.set.gateway() {
		key = string(labels[model.LabelName(s.set.service)])
	}
	if out[key] == nil {
		out[key] = &row{namespace: namespace, pod: pod, windows: map[time.Duration]*looked{}}
	}
	return out[key]
}

func (r *row) window(w time.Duration) *looked {
	if r.windows[w] == nil {
		r.windows[w] = &looked{}
	}
	return r.windows[w]
}

func (r *row) add(s selection, part string, window time.Duration, labels model.Metric, value float64) {
	c := counted{route: string(labels[model.LabelName(s.set.route)]), code: string(labels[model.LabelName(s.set.code)]), n: value}
	switch part {
	case partAlive:
		r.alive = time.UnixMilli(int64(value * 1000))
	case partActive:
		r.active = value
	case partSamples:
		r.window(window).samples = value
	case partRequests:
		r.window(window).requests = append(r.window(window).requests, c)
	case partBuckets:
		bound, err := strconv.ParseFloat(string(labels["le"]), 64)
		if err != nil || math.IsNaN(bound) {
			r.wrong = fmt.Sprintf("a bucket has the bound %q", labels["le"])
			return
		}
		c.bound = bound * s.set.unit
		r.window(window).buckets = append(r.window(window).buckets, c)
	}
}

func partOf(label string) (string, time.Duration, error) {
	name, back, windowed := strings.Cut(label, "/")
	if !windowed {
		return name, 0, nil
	}
	n, err := strconv.Atoi(back)
	if err != nil || n <= 0 {
		return "", 0, fmt.Errorf("an answer has the part %q, which nobody asked for", label)
	}
	return name, time.Duration(n) * time.Second, nil
}

// totals adds up what counts as traffic of a subject, and of that the failures.
func (l *looked) totals(s Subject) (requests, errors float64) {
	for _, c := range l.requests {
		if s.own(c.route) {
			continue
		}
		requests += c.n
		if failed(c.code) {
			errors += c.n
		}
	}
	return requests, errors
}

// scrapes reports whether the exporter counts those who read it, too.
func (l *looked) scrapes() bool {
	for _, c := range l.requests {
		if c.route == metricsPath && c.n > 0 {
			return true
		}
	}
	return false
}

// metricsPath is where a Gati application shows its metrics.
const metricsPath = "/metrics"
