package signals

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/common/model"

	"gati.dev/gati/pkg/rollout"
)

// rows is a parsed answer. Its key is a pod with its namespace, a gateway's name of
// a Service, or "" for the gateway itself.
type rows map[string]*row

// row is the part of an answer that concerns one pod or Service.
type row struct {
	namespace, pod string
	alive          time.Time
	active         float64
	windows        map[time.Duration]*windowRow
	// processes have the counters, by a gateway's instance or "" for the pod.
	processes map[string]*processRow
	// problem, if set, is the reason why the row must not be used.
	problem string
}

// windowRow is the part of a row that concerns one window.
type windowRow struct {
	samples  float64
	requests []counted
}

// processRow has the counters of one process, as they were scraped last.
type processRow struct {
	started  time.Time
	requests []counted
	buckets  []counted
}

// counted is a number with the labels that it was counted by.
type counted struct {
	route, code string
	bound       float64
	n           float64
}

// parseAnswer sorts an answer into rows. A sample that cannot be valid makes its
// whole row unusable.
func (s selection) parseAnswer(vector model.Vector) rows {
	out := rows{}
	for _, sample := range vector {
		r := out.rowFor(s, sample.Metric)
		value := float64(sample.Value)
		name, window, err := parsePart(string(sample.Metric[partLabel]))
		switch {
		case err != nil:
			r.problem = err.Error()
		case math.IsNaN(value) || math.IsInf(value, 0) || value < 0:
			r.problem = fmt.Sprintf("the source returns %v for %s", value, name)
		default:
			r.addSample(s, name, window, sample.Metric, value)
		}
	}
	return out
}

func (out rows) rowFor(s selection, labels model.Metric) *row {
	namespace, pod := string(labels[model.LabelName(s.namespace)]), string(labels[model.LabelName(s.pod)])
	key := namespace + "/" + pod
	if s.set.isGateway() {
		key = string(labels[model.LabelName(s.set.service)])
	}
	if out[key] == nil {
		out[key] = &row{namespace: namespace, pod: pod, windows: map[time.Duration]*windowRow{}, processes: map[string]*processRow{}}
	}
	return out[key]
}

func (r *row) windowFor(w time.Duration) *windowRow {
	if r.windows[w] == nil {
		r.windows[w] = &windowRow{}
	}
	return r.windows[w]
}

func (r *row) processFor(instance string) *processRow {
	if r.processes[instance] == nil {
		r.processes[instance] = &processRow{}
	}
	return r.processes[instance]
}

func (r *row) addSample(s selection, part string, window time.Duration, labels model.Metric, value float64) {
	c := counted{route: string(labels[model.LabelName(s.set.route)]), code: string(labels[model.LabelName(s.set.code)]), n: value}
	switch part {
	case partAlive:
		r.alive = time.UnixMilli(int64(value * 1000))
	case partActive:
		r.active = value
	case partSamples:
		r.windowFor(window).samples = value
	case partRequests:
		r.windowFor(window).requests = append(r.windowFor(window).requests, c)
	case partStarted:
		r.processFor(string(labels[model.LabelName(s.set.instance)])).started = time.UnixMilli(int64(value * 1000))
	case partCounters:
		process := r.processFor(string(labels[model.LabelName(s.set.instance)]))
		process.requests = append(process.requests, c)
	case partBuckets:
		bound, err := strconv.ParseFloat(string(labels["le"]), 64)
		if err != nil || math.IsNaN(bound) {
			r.problem = fmt.Sprintf("a bucket has the invalid bound %q", labels["le"])
			return
		}
		c.bound = bound * s.set.unit
		process := r.processFor(string(labels[model.LabelName(s.set.instance)]))
		process.buckets = append(process.buckets, c)
	}
}

func parsePart(label string) (string, time.Duration, error) {
	name, back, windowed := strings.Cut(label, "/")
	if !windowed {
		return name, 0, nil
	}
	n, err := strconv.Atoi(back)
	if err != nil || n <= 0 {
		return "", 0, fmt.Errorf("the answer has the part %q, which the query does not have", label)
	}
	return name, time.Duration(n) * time.Second, nil
}

// countRequests adds up the requests that count as traffic of a subject, and the
// failures among them.
func countRequests(list []counted, s Subject) (requests, errors float64) {
	for _, c := range list {
		if s.isOwnRoute(c.route) {
			continue
		}
		requests += c.n
		if isFailure(c.code) {
			errors += c.n
		}
	}
	return requests, errors
}

// countsScrapes reports whether the exporter also counts requests for its metrics.
func (l *windowRow) countsScrapes() bool {
	for _, c := range l.requests {
		if c.route == metricsPath && c.n > 0 {
			return true
		}
	}
	return false
}

// metricsPath is the path of a Gati application's metrics.
const metricsPath = "/metrics"

// Measurements returns one measurement for each query of the policy, from the reading
// of the target.
func Measurements(p *rollout.AnalysisPolicy, of string, target Reading) []rollout.Measurement {
	var out []rollout.Measurement
	for _, metric := range p.Metrics {
		if metric.Kind != rollout.Query {
			continue
		}
		answer := target.Queries[metric.Name]
		m := rollout.Measurement{
			Name: metric.Name, Of: of, From: target.From, At: target.At,
			Value: answer.Value, Known: answer.Known, Message: answer.Message,
		}
		if target.Requests != nil {
			samples := int64(math.Round(*target.Requests))
			m.Samples = &samples
		}
		out = append(out, m)
	}
	return out
}
