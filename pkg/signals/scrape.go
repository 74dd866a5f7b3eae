package signals

import (
	"context"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"strconv"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// sample is what the counters of one pod stood at.
type sample struct {
	at               time.Time
	requests, errors float64
	buckets          map[float64]float64
	active           float64
}

// scrape reads the metrics of one pod.
func (p *Pods) scrape(ctx context.Context, s Subject, pod Pod) (sample, error) {
	url := "http://" + net.JoinHostPort(pod.IP, strconv.Itoa(int(s.Port))) + metricsPath
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return sample{}, err
	}
	request.Header.Set("Accept", string(expfmt.NewFormat(expfmt.TypeTextPlain)))
	sent := p.clock.Now()
	response, err := p.client.Do(request)
	if err != nil {
		return sample{}, fmt.Errorf("pod %s: %s", pod.Name, brief(err.Error()))
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		_, _ = io.CopyN(io.Discard, response.Body, 1024)
		return sample{}, fmt.Errorf("pod %s answers %s with %d", pod.Name, metricsPath, response.StatusCode)
	}
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(response.Body)
	if err != nil {
		return sample{}, fmt.Errorf("the metrics of pod %s: %s", pod.Name, brief(err.Error()))
	}
	out, err := p.counters(s, families)
	// What ended after we asked may be missing.
	out.at = sent
	if err != nil {
		err = fmt.Errorf("the metrics of pod %s: %w", pod.Name, err)
	}
	return out, err
}

// counters adds up what a pod's metrics say.
func (p *Pods) counters(s Subject, families map[string]*dto.MetricFamily) (sample, error) {
	out := sample{buckets: map[float64]float64{}}
	active := families[p.set.active]
	if active == nil && families[p.set.requests] == nil {
		return out, fmt.Errorf("there is neither %s nor %s", p.set.active, p.set.requests)
	}
	scraped, err := p.answered(s, families, &out)
	if err != nil {
		return out, err
	}
	for _, m := range active.GetMetric() {
		out.active += m.GetGauge().GetValue()
	}
	if scraped && out.active > 0 {
		out.active-- // The one that asks.
	}
	if math.IsNaN(out.active) || out.active < 0 {
		return out, fmt.Errorf("%s is %v", p.set.active, out.active)
	}
	p.histogram(s, families, out.buckets)
	return out, nil
}

// answered adds up the requests that a pod has answered, and reports whether it
// counts those for its metrics among them.
func (p *Pods) answered(s Subject, families map[string]*dto.MetricFamily, out *sample) (scraped bool, err error) {
	for _, m := range families[p.set.requests].GetMetric() {
		n := m.GetCounter().GetValue()
		if m.GetCounter() == nil || math.IsNaN(n) || math.IsInf(n, 0) || n < 0 {
			return scraped, fmt.Errorf("%s is %v", p.set.requests, n)
		}
		route := label(m, p.set.route)
		scraped = scraped || route == metricsPath && n > 0
		if s.own(route) {
			continue
		}
		out.requests += n
		if failed(label(m, p.set.code)) {
			out.errors += n
		}
	}
	return scraped, nil
}

func (p *Pods) histogram(s Subject, families map[string]*dto.MetricFamily, into map[float64]float64) {
	for _, m := range families[durationFamily].GetMetric() {
		if s.own(label(m, p.set.route)) {
			continue
		}
		for _, b := range m.GetHistogram().GetBucket() {
			into[b.GetUpperBound()*p.set.unit] += float64(b.GetCumulativeCount())
		}
	}
}

// durationFamily is the histogram of a Gati application.
const durationFamily = "gati_http_request_duration_seconds"

func label(m *dto.Metric, name string) string {
	for _, l := range m.GetLabel() {
		if l.GetName() == name {
			return l.GetValue()
		}
	}
	return ""
}

// since is what was counted from one sample to the next of the same counters. They
// never go back while the instance is the same.
func (now sample) since(then sample) (*Stats, error) {
	out := &Stats{Requests: now.requests - then.requests, Errors: now.errors - then.errors, Buckets: map[float64]float64{}}
	if out.Requests < 0 || out.Errors < 0 {
		return nil, fmt.Errorf("a counter went back from %v to %v", then.requests, now.requests)
	}
	for bound, n := range now.buckets {
		out.Buckets[bound] = n - then.buckets[bound]
	}
	return out, nil
}

func (s *Stats) add(other *Stats) {
	s.Requests += other.Requests
	s.Errors += other.Errors
	for bound, n := range other.Buckets {
		s.Buckets[bound] += n
	}
}
