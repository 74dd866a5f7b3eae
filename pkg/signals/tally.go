package signals

import (
	"cmp"
	"fmt"
	"math"
	"strconv"

	"gati.dev/gati/pkg/rollout"
)

const (
	// durationFamily is the histogram of a Gati application.
	durationFamily = "gati_http_request_duration_seconds"
	// maxBuckets bounds the bounds of a histogram, and maxHops the pairs that are kept of
	// a pod's transformers.
	maxBuckets, maxHops = 100, 300
)

// tally adds up the samples of a pod, one by one.
type tally struct {
	set     Set
	subject Subject
	sample  podSample
	// isFound reports whether the pod has metrics of requests, and isScraped whether
	// requests for its metrics are among them.
	isFound, isScraped bool
	// err is the problem of the first invalid counter.
	err error
	// hasFile reports whether the pod has read its file of transformers.
	hasFile        bool
	contract, hash string
	loaded, failed []rollout.Hop
}

// readFamilies returns those that are read.
func (t *tally) readFamilies() map[string]bool {
	return map[string]bool{
		t.set.requests: true, t.set.active: true, durationFamily: true,
		transformersFamily: true, loadedFamily: true, executionsFamily: true,
	}
}

// addSample adds a sample of a family.
func (t *tally) addSample(s *sample) error {
	switch s.family {
	case t.set.requests:
		t.isFound = true
		t.err = cmp.Or(t.err, t.addRequests(s))
	case t.set.active:
		if t.isFound = true; s.kind == "gauge" {
			t.sample.active += s.value
		}
	case durationFamily:
		return t.addBucket(s)
	default:
		t.addTransformers(s)
	}
	return nil
}

// addTransformers adds the transformers that a pod reports.
func (t *tally) addTransformers(s *sample) {
	switch s.family {
	case transformersFamily:
		if !t.hasFile {
			t.hasFile, t.contract, t.hash = true, s.labelValue("contract"), s.labelValue("hash")
		}
	case loadedFamily:
		if s.kind == "gauge" && s.value == 1 && len(t.loaded) < maxHops {
			t.loaded = append(t.loaded, rollout.Hop{From: s.labelValue("from"), To: s.labelValue("to")})
		}
	case executionsFamily:
		if s.kind == "counter" && s.value > 0 && s.labelValue("success") == "false" && len(t.failed) < maxHops {
			t.failed = append(t.failed, rollout.Hop{From: s.labelValue("from_version"), To: s.labelValue("to_version")})
		}
	}
}

// addRequests adds requests that a pod has answered.
func (t *tally) addRequests(s *sample) error {
	n, err := s.countValue("counter")
	if err != nil {
		return err
	}
	route := s.labelValue(t.set.route)
	t.isScraped = t.isScraped || route == metricsPath && n > 0
	if t.subject.isOwnRoute(route) {
		return nil
	}
	t.sample.requests += n
	if isFailure(s.labelValue(t.set.code)) {
		t.sample.errors += n
	}
	return nil
}

// addBucket adds a bucket of the histogram of latencies.
func (t *tally) addBucket(s *sample) error {
	le := s.labelValue("le")
	if s.kind != "histogram" || le == "" || t.subject.isOwnRoute(s.labelValue(t.set.route)) {
		return nil
	}
	bound, err := strconv.ParseFloat(le, 64)
	if err != nil {
		return fmt.Errorf("a bucket of %s: %w", durationFamily, err)
	}
	n, err := s.countValue("histogram")
	if err != nil {
		return err
	}
	if t.sample.buckets[bound*t.set.unit] += n; len(t.sample.buckets) > maxBuckets {
		return fmt.Errorf("%s has more than %d buckets", durationFamily, maxBuckets)
	}
	return nil
}

// finishSum returns the problem of the sum.
func (t *tally) finishSum() error {
	if !t.isFound {
		return fmt.Errorf("neither %s nor %s found", t.set.active, t.set.requests)
	}
	if t.err != nil {
		return t.err
	}
	if t.isScraped && t.sample.active > 0 {
		t.sample.active-- // the scrape itself
	}
	if math.IsNaN(t.sample.active) || t.sample.active < 0 {
		return fmt.Errorf("%s is %v", t.set.active, t.sample.active)
	}
	return nil
}
