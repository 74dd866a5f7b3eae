package e2e

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/test/support/statusrecorder"
)

// measuredEvery is the interval of analyses.
const measuredEvery = 5 * time.Second

var (
	successRate = v1.AnalysisMetric{SuccessRate: &v1.SuccessRate{Min: "99"}}
	latency     = v1.AnalysisMetric{Latency: &v1.Latency{Quantile: "0.99", Max: "500ms"}}
)

// judgedBy holds a new version to a metric. A step waits a minute for requests.
func judgedBy(metric v1.AnalysisMetric) change {
	return func(s *v1.GatiHandlerSpec) {
		s.Rollout.ProgressDeadline = "1m"
		s.Rollout.Analysis = &v1.Analysis{Interval: "5s", Metrics: []v1.AnalysisMetric{metric}}
	}
}

// setInconclusivePolicy says what too few requests mean.
func setInconclusivePolicy(policy v1.InconclusivePolicy) change {
	return func(s *v1.GatiHandlerSpec) { s.Rollout.Analysis.Inconclusive = policy }
}

// dryRun judges and acts on nothing.
func dryRun(s *v1.GatiHandlerSpec) { s.Rollout.Analysis.DryRun = true }

// noData says what it means that nothing is known of a new version.
func noData(policy v1.NoDataPolicy) change {
	return func(s *v1.GatiHandlerSpec) { s.Rollout.Analysis.NoData = policy }
}

// isMeasured waits until so many measurements of a version at a weight have come to a
// verdict that says something.
func (n then) isMeasured(film *film[*v1.GatiHandler], version string, percent int32, times int, verdict v1.AnalysisVerdict, says string) {
	n.t.Helper()
	seen := map[int64]v1.MetricStatus{}
	film.awaitFirst(fmt.Sprintf("%d measurements of %s at %d %% that are %s", times, version, percent, verdict), func(f statusrecorder.Frame[*v1.GatiHandler]) bool {
		ro := f.Object.Status.Rollout
		if ro == nil || !hasAccepted(f.Object, version, percent) {
			return false
		}
		for _, m := range ro.Analysis {
			if m.Verdict == verdict && m.MeasuredAt != nil && strings.Contains(m.Message, says) {
				seen[m.MeasuredAt.Unix()] = m
			}
		}
		return len(seen) >= times
	})
	for _, at := range slices.Sorted(maps.Keys(seen)) {
		m := seen[at]
		n.logStep("then at %s its %s is %s: %d samples, %s %s", m.MeasuredAt.UTC().Format(time.TimeOnly), m.Name, m.Verdict, m.Samples, m.Value, m.Message)
	}
}

// goneWithin is how long after the first measurement that failed a version may go on
// failing. On a machine at rest it is two intervals.
const goneWithin = 6 * measuredEvery

// onlyItsOwnAnswersHaveFailed ends the traffic and wants no failure but those that a
// version was asked to answer with, and none of these once it was judged.
func (n then) onlyItsOwnAnswersHaveFailed(version string, film *film[*v1.GatiHandler]) {
	n.t.Helper()
	judged := film.awaitFirst("measurement that failed", func(f statusrecorder.Frame[*v1.GatiHandler]) bool {
		ro := f.Object.Status.Rollout
		return ro != nil && len(ro.Analysis) == 1 && ro.Analysis[0].Verdict == v1.AnalysisFail
	})
	r := n.traffic.stopOnce()
	n.logStep("then of %v", r)
	for answer, count := range r.Answers {
		if answer.Status != http.StatusOK && answer.Status != http.StatusInternalServerError {
			n.t.Errorf("%d requests were answered with %d, 0 for not at all", count, answer.Status)
		}
	}
	if r.Failed() == 0 || r.By(version) == 0 || r.Answered() != r.Offered {
		n.t.Errorf("of %d requests %s has answered %d, and %d have failed: want some of both", r.Offered, version, r.By(version), r.Failed())
	}
	after := r.LastFailure().Sub(judged.At)
	if after > goneWithin {
		n.t.Errorf("the last failure was %s after the first measurement that failed, want at most %s", after, goneWithin)
	}
	n.logStep("then the last failure was %.1fs after the first measurement that failed, %.1f intervals", after.Seconds(), after.Seconds()/measuredEvery.Seconds())
}
