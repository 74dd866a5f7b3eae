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
	t := &tally{set: p.set, subject: s, sample: podSample{buckets: map[float64]float64{}}}
	sent, err := p.readMetrics(ctx, pod, t)
	if err != nil {
		return podSample{}, failedReport(pod, sent, err), err
	}
	if err = t.finishSum(); err != nil {
		err = fmt.Errorf("the metrics of pod %s: %w", pod.Name, err)
	}
	// Requests that ended after the scrape began may be missing.
	t.sample.at = sent
	return t.sample, t.newReport(pod, sent), err
}

// readMetrics adds the metrics of one pod to a tally, and returns when it was asked.
func (p *Pods) readMetrics(ctx context.Context, pod Pod, t *tally) (time.Time, error) {
	sent := p.clock.Now()
	url := "http://" + net.JoinHostPort(pod.IP, strconv.Itoa(int(pod.Port))) + metricsPath
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return sent, err
	}
	request.Header.Set("Accept", "text/plain; version=0.0.4")
	response, err := p.client.Do(request)
	if err != nil {
		return sent, &podError{pod: pod.Name, text: shortenMessage(err.Error())}
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		_, _ = io.CopyN(io.Discard, response.Body, 1024)
		return sent, &podError{pod: pod.Name, code: response.StatusCode}
	}
	if err := readSamples(response.Body, t.readFamilies(), t.addSample); err != nil {
		return sent, fmt.Errorf("the metrics of pod %s: %s", pod.Name, shortenMessage(err.Error()))
	}
	return sent, nil
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
