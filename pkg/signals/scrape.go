package signals

import (
	"context"
	"fmt"
	"io"
	"maps"
	"math"
	"net"
	"net/http"
	"slices"
	"strconv"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"gati.dev/gati/pkg/rollout"
)

// podSample has the values of one pod's counters.
type podSample struct {
	at               time.Time
	requests, errors float64
	buckets          map[float64]float64
	active           float64
}

// scrapePod reads the metrics of one pod: its counters, and its transformers.
func (p *Pods) scrapePod(ctx context.Context, s Subject, pod Pod) (podSample, PodReport, error) {
	families, sent, err := p.readMetrics(ctx, pod)
	if err != nil {
		return podSample{}, newReport(pod, sent, nil, err), err
	}
	out, err := p.sumMetrics(s, families)
	// Requests that ended after the scrape began may be missing.
	out.at = sent
	if err != nil {
		err = fmt.Errorf("the metrics of pod %s: %w", pod.Name, err)
	}
	return out, newReport(pod, sent, families, nil), err
}

// readMetrics returns the metrics of one pod, and when it was asked.
func (p *Pods) readMetrics(ctx context.Context, pod Pod) (map[string]*dto.MetricFamily, time.Time, error) {
	sent := p.clock.Now()
	url := "http://" + net.JoinHostPort(pod.IP, strconv.Itoa(int(pod.Port))) + metricsPath
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, sent, err
	}
	request.Header.Set("Accept", string(expfmt.NewFormat(expfmt.TypeTextPlain)))
	response, err := p.client.Do(request)
	if err != nil {
		return nil, sent, fmt.Errorf("pod %s: %s", pod.Name, shorten(err.Error()))
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		_, _ = io.CopyN(io.Discard, response.Body, 1024)
		return nil, sent, fmt.Errorf("pod %s answers %s with %d", pod.Name, metricsPath, response.StatusCode)
	}
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(response.Body)
	if err != nil {
		return nil, sent, fmt.Errorf("the metrics of pod %s: %s", pod.Name, shorten(err.Error()))
	}
	return families, sent, nil
}

// sumMetrics adds up the metrics of a pod.
func (p *Pods) sumMetrics(s Subject, families map[string]*dto.MetricFamily) (podSample, error) {
	out := podSample{buckets: map[float64]float64{}}
	active := families[p.set.active]
	if active == nil && families[p.set.requests] == nil {
		return out, fmt.Errorf("neither %s nor %s found", p.set.active, p.set.requests)
	}
	scraped, err := p.sumRequests(s, families, &out)
	if err != nil {
		return out, err
	}
	for _, m := range active.GetMetric() {
		out.active += m.GetGauge().GetValue()
	}
	if scraped && out.active > 0 {
		out.active-- // the scrape itself
	}
	if math.IsNaN(out.active) || out.active < 0 {
		return out, fmt.Errorf("%s is %v", p.set.active, out.active)
	}
	p.sumBuckets(s, families, out.buckets)
	return out, nil
}

// sumRequests adds up the requests that a pod has answered, and reports whether
// requests for its metrics are among them.
func (p *Pods) sumRequests(s Subject, families map[string]*dto.MetricFamily, out *podSample) (scraped bool, err error) {
	for _, m := range families[p.set.requests].GetMetric() {
		n := m.GetCounter().GetValue()
		if m.GetCounter() == nil || math.IsNaN(n) || math.IsInf(n, 0) || n < 0 {
			return scraped, fmt.Errorf("%s is %v", p.set.requests, n)
		}
		route := labelValue(m, p.set.route)
		scraped = scraped || route == metricsPath && n > 0
		if s.isOwnRoute(route) {
			continue
		}
		out.requests += n
		if isFailure(labelValue(m, p.set.code)) {
			out.errors += n
		}
	}
	return scraped, nil
}

func (p *Pods) sumBuckets(s Subject, families map[string]*dto.MetricFamily, into map[float64]float64) {
	for _, m := range families[durationFamily].GetMetric() {
		if s.isOwnRoute(labelValue(m, p.set.route)) {
			continue
		}
		for _, b := range m.GetHistogram().GetBucket() {
			into[b.GetUpperBound()*p.set.unit] += float64(b.GetCumulativeCount())
		}
	}
}

// durationFamily is the histogram of a Gati application.
const durationFamily = "gati_http_request_duration_seconds"

func labelValue(m *dto.Metric, name string) string {
	for _, l := range m.GetLabel() {
		if l.GetName() == name {
			return l.GetValue()
		}
	}
	return ""
}

// increaseSince returns the increase of requests between two samples of the same
// instance, whose counters never decrease.
func (now podSample) increaseSince(then podSample) (float64, error) {
	if now.requests < then.requests || now.errors < then.errors {
		return 0, fmt.Errorf("a counter decreased from %v to %v", then.requests, now.requests)
	}
	return now.requests - then.requests, nil
}

// sortedBuckets returns the buckets of a histogram with rising bounds and counts; none
// unless the last bound is +Inf.
func sortedBuckets(counts map[float64]float64) []rollout.Bucket {
	var out []rollout.Bucket
	for _, bound := range slices.Sorted(maps.Keys(counts)) {
		n := int64(counts[bound])
		if len(out) > 0 {
			n = max(n, out[len(out)-1].Count)
		}
		out = append(out, rollout.Bucket{Bound: bound, Count: n})
	}
	if len(out) == 0 || !math.IsInf(out[len(out)-1].Bound, 1) {
		return nil
	}
	return out
}
