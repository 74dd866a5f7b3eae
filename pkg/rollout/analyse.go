package rollout

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/analysis"
)

// judging judges the target, or a promoted version, by its counters and measurements.
type judging struct {
	*roster
	*clock
	*journal
	traffic      traffic
	retention    retention
	policy       *AnalysisPolicy
	counters     map[string]Counters
	measurements []Measurement
}

// updateAnalysis adds the measurements of the target. It counts intervals and measurements,
// not decisions: the same one twice, or an older one, changes nothing.
func (j judging) updateAnalysis(target *unit) {
	p := j.policy
	if p == nil || j.ro.Mode != v1.RolloutSteps || j.isManual() || p.Derived && len(j.ro.Analysis) == 0 {
		j.ro.Analysis, j.ro.Advice = nil, nil
		return
	}
	was := j.ro.Analysis
	j.dropOldAnalysis(p, was, target)
	j.ro.Analysis = nil
	for _, metric := range p.Metrics {
		before := v1.MetricStatus{Name: metric.Name, Verdict: v1.AnalysisRunning}
		if at := slices.IndexFunc(was, func(s v1.MetricStatus) bool { return s.Name == metric.Name && !isOldStatus(metric, s) }); at >= 0 {
			before = was[at]
		}
		j.ro.Analysis = append(j.ro.Analysis, j.judgeMetric(metric, before, target))
	}
	j.updateAdvice(target)
	j.lookAgainIn(p.Interval)
}

// updateAdvice continues the tests that decide nothing, and tells once what they have found.
// What cannot be measured is no advice.
func (j judging) updateAdvice(target *unit) {
	was := j.ro.Advice
	j.ro.Advice = nil
	for _, metric := range j.policy.Advice {
		before := v1.MetricStatus{Name: metric.Name, Verdict: v1.AnalysisRunning}
		if at := slices.IndexFunc(was, func(s v1.MetricStatus) bool { return s.Name == metric.Name }); at >= 0 {
			before = was[at]
		}
		after := j.updateMetric(metric, before, target)
		if after.MeasuredAt == nil {
			continue
		}
		j.ro.Advice = append(j.ro.Advice, after)
		if j.isRejectedBy(after) && !j.isRejectedBy(before) {
			j.recordWarning(machineName, "Advice", titleFor(target)+" "+j.traffic.describeShare(target, target.Weight), "",
				j.describeRejection(after)+"; this decides nothing: set spec.rollout.analysis to have it judged")
		}
	}
}

// beginDerived returns the metrics of a default analysis, by which a rollout shows that it
// began with one: one that was under way at the upgrade has none.
func (j judging) beginDerived() []v1.MetricStatus {
	var out []v1.MetricStatus
	if p := j.policy; p != nil && p.Derived {
		for _, metric := range p.Metrics {
			out = append(out, v1.MetricStatus{Name: metric.Name, Verdict: v1.AnalysisRunning})
		}
	}
	return out
}

// unmeasuredMessage is that of a default analysis without any reading.
const unmeasuredMessage = "judged by its pods alone: nothing has counted its requests so far; export gati_http_requests_total at /metrics, or set analysis.enabled to false"

// judgeMetric adds the measurements of one metric, and reports the verdict of a dry run,
// and a source without data.
func (j judging) judgeMetric(metric Metric, before v1.MetricStatus, target *unit) v1.MetricStatus {
	status := j.updateMetric(metric, before, target)
	if j.policy.Derived && status.Counted == nil {
		return v1.MetricStatus{Name: metric.Name, Verdict: v1.AnalysisRunning, Message: unmeasuredMessage}
	}
	j.reportDryRun(before, status, target)
	if status.Verdict == v1.AnalysisNoData && (status.Counted != nil || status.Samples == 0) {
		j.unmeasured = append(j.unmeasured, fmt.Sprintf("%s of %s: %s.", status.Name, titleFor(target), cmp.Or(status.Message, "nothing was measured")))
	}
	return status
}

// isOldStatus reports whether the status of a metric is that of a release that judged
// windows instead of counting requests: it is no evidence.
func isOldStatus(metric Metric, s v1.MetricStatus) bool {
	return metric.Kind != Query && s.Counted == nil && (s.MeasuredAt != nil || s.Failures > 0)
}

// dropOldAnalysis tells once that the measurements of an older release do not count.
func (j judging) dropOldAnalysis(p *AnalysisPolicy, was []v1.MetricStatus, target *unit) {
	for _, metric := range p.Metrics {
		if slices.ContainsFunc(was, func(s v1.MetricStatus) bool { return s.Name == metric.Name && isOldStatus(metric, s) }) {
			j.recordEvent(machineName, "AnalysisRestarted", titleFor(target), "", "the measurements of an older release are not evidence; requests are counted from now on")
			return
		}
	}
}

// reportDryRun tells once that a version would have been rolled back.
func (j judging) reportDryRun(before, after v1.MetricStatus, target *unit) {
	p := j.policy
	if p.DryRun && j.isRejectedBy(after) && !j.isRejectedBy(before) {
		j.recordWarning(machineName, "WouldRollBack", titleFor(target)+" "+j.traffic.describeShare(target, target.Weight), "", j.describeRejection(after)+"; analysis.dryRun is set")
	}
}

// querySpacing is how far measurements of a query are apart: their windows do not overlap.
func (p *AnalysisPolicy) querySpacing() time.Duration { return max(p.Interval, p.Window) }

// countFailures carries the number of failures in a row: too few samples neither add to it
// nor end it.
func (p *AnalysisPolicy) countFailures(was, is v1.MetricStatus) v1.MetricStatus {
	switch is.Verdict {
	case v1.AnalysisFail:
		is.Failures = was.Failures + 1
	case v1.AnalysisNoData:
		is.Failures = was.Failures
	}
	return is
}

// resetAnalysis drops the verdicts, and keeps the counters, which must not count again.
// queriesOnly keeps the verdicts on requests.
func (j judging) resetAnalysis(queriesOnly bool) {
	var kept []v1.MetricStatus
	for _, s := range j.ro.Analysis {
		switch {
		case s.Counted == nil && (j.policy == nil || !j.isCounted(s.Name)):
		case s.Counted == nil, queriesOnly:
			kept = append(kept, s)
		default:
			kept = append(kept, v1.MetricStatus{
				Name: s.Name, Verdict: v1.AnalysisRunning, MeasuredAt: s.MeasuredAt,
				Counted: &v1.CountedStatus{Limit: s.Counted.Limit, StableQuantile: s.Counted.StableQuantile, TargetCounters: s.Counted.TargetCounters, StableCounters: s.Counted.StableCounters},
			})
		}
	}
	j.ro.Analysis = kept
	if !queriesOnly {
		j.ro.Advice = nil
	}
}

// awaitAnalysis asks for the verdicts on the target, which the last step has
// had already.
func (j judging) awaitAnalysis(target *unit, step Step) verdict {
	p := j.policy
	if j.isAtEnd() || p == nil || p.DryRun {
		return passed
	}
	var unjudged []v1.MetricStatus
	for _, s := range WorstFirst(j.ro.Analysis) {
		switch v, why := j.findUnproven(s); {
		case why != "":
			v.waiting.Message = fmt.Sprintf("%s has %s: %s; %s", titleFor(target), j.traffic.describeStep(target, step.Weight), why, j.traffic.nextStep())
			return v
		case s.Counted != nil && s.Verdict == v1.AnalysisInconclusive:
			unjudged = append(unjudged, s)
		}
	}
	for _, s := range unjudged {
		j.recordWarning(machineName, "Inconclusive", titleFor(target)+" "+j.traffic.describeShare(target, step.Weight), "", describeUnjudged(s))
	}
	return passed
}

// describeUnjudged describes the faults that a step without a verdict could not have shown.
func describeUnjudged(s v1.MetricStatus) string {
	text := fmt.Sprintf("too few requests to judge its %s: %d so far, %d missing", s.Name, s.Samples, s.Counted.Missing)
	if shown := s.Counted.WouldShow; shown != "" {
		text += fmt.Sprintf("; a fault in %s of the requests would have shown", shown)
	} else {
		text += "; no fault would have shown"
	}
	return strings.TrimSuffix(text+"; "+s.Message, "; ")
}

// findUnproven returns why a step cannot be left yet; empty when a metric has held since
// the step began.
func (j judging) findUnproven(s v1.MetricStatus) (verdict, string) {
	if s.Counted != nil || j.isCounted(s.Name) {
		return j.findUndecided(s)
	}
	return waitFor(v1.WaitingForAnalysis, ""), j.findUnprovenQuery(s)
}

// findUndecided is findUnproven of a metric that counts requests.
func (j judging) findUndecided(s v1.MetricStatus) (verdict, string) {
	p := j.policy
	over := j.judgingLeft() == 0
	isUnsuspected := p.Derived && s.Counted != nil && s.Counted.Outlook == v1.OutlookHealthy
	waiting := waitFor(v1.WaitingForAnalysis, "")
	if why := j.findSwallowed(s); why != "" && (over || isUnsuspected || s.Verdict == v1.AnalysisPass) {
		return waitFor(v1.WaitingForTraffic, ""), why + "; check that the gateway reaches its pods, or promote it if its callers come another way"
	}
	switch {
	case s.Verdict == v1.AnalysisPass, p.Derived && s.Counted == nil:
		return waiting, ""
	case s.Verdict == v1.AnalysisNoData, s.Verdict == v1.AnalysisRunning && !j.isRead():
		return waiting, j.findUnmeasured(s, over)
	case !over && !isUnsuspected:
		return waiting.untilTime(j.deadlineAfter(j.ro.StepStartedAt, j.judgingTime())), describeMissing(s)
	case p.Inconclusive == v1.InconclusiveWait:
		return waitFor(v1.WaitingForTraffic, ""), describeMissing(s) + "; promote it, or send it requests"
	}
	return waiting, ""
}

// findUnmeasured is findUnproven of a metric that nothing has measured, at the end of the time
// for requests or before.
func (j judging) findUnmeasured(s v1.MetricStatus, over bool) string {
	p := j.policy
	if p.NoData == v1.NoDataPass && j.hasWaitedLong() {
		return ""
	}
	j.stalled = j.stalled || over && p.NoData == v1.NoDataWait
	return fmt.Sprintf("no data on its %s yet (%s), which is no failure", s.Name, cmp.Or(s.Message, "nothing was measured"))
}

// findSwallowed returns why a version that has answered nothing lately cannot have had its share of
// the requests; empty where it may. Callers that come past the gateway reach the stable
// version alone, so that this holds a rollout, and rolls back only where there are none.
func (j judging) findSwallowed(s v1.MetricStatus) string {
	metric, _ := j.policy.findCounted(s.Name)
	target, c := j.findUnit(j.ro.Target), s.Counted
	if c == nil || c.TargetCounters == nil || c.StableCounters == nil || s.MeasuredAt == nil || !j.roster.policy.Gateway {
		return ""
	}
	now, beside := j.counters[target.Workload], j.stableCounters()
	_, n := metric.increaseSince(c.TargetCounters, s.MeasuredAt.Time, now, 0)
	_, others := metric.increaseSince(c.StableCounters, s.MeasuredAt.Time, beside, 0)
	if !now.Known || !beside.Known || !n.isWhole || !others.isWhole || n.withHung().Requests > 0 {
		return ""
	}
	weight := j.rolloutSteps()[j.ro.Step].Weight
	if j.ro.StepStartedAt == nil || s.MeasuredAt.Before(j.ro.StepStartedAt) {
		weight = j.rolloutSteps()[0].Weight
	}
	share := float64(weight) / 100
	if share >= 1 || analysis.OddsOfSilence(share/2, others.Requests) < 1/j.policy.Alpha {
		return "" // With all of it, nothing is shared.
	}
	return fmt.Sprintf("it has answered none of some %.0f requests that its share should have had (the stable version answered %d)",
		share/(1-share)*float64(others.Requests), others.Requests)
}

// findLost is findSwallowed where the gateway is the only path, and has had time to act on the
// weight that it accepted.
func (j judging) findLost(s v1.MetricStatus) string {
	if !j.roster.policy.OnlyPath || j.ro.Frozen != nil || s.MeasuredAt == nil || j.timeLeft(s.MeasuredAt, blackout) > 0 {
		return ""
	}
	if why := j.findSwallowed(s); why != "" {
		return why + ", and spec.route.onlyPath says that all callers come through the gateway"
	}
	return ""
}

// describeMissing describes the data that a metric still needs.
func describeMissing(s v1.MetricStatus) string {
	if s.Counted == nil || s.Samples == 0 {
		return fmt.Sprintf("its %s waits for requests", s.Name)
	}
	counts := fmt.Sprintf("its %s is %s (%d of %d requests bad)", s.Name, s.Counted.Outlook.Words(), s.Counted.Target.Bad, s.Samples)
	if s.Counted.Outlook == v1.OutlookFailing {
		return fmt.Sprintf("%s: odds of %s to 1 against it, rejected at %s", counts, s.Counted.Odds, s.Counted.RejectAt)
	}
	return fmt.Sprintf("%s and passes after %d more", counts, s.Counted.Missing)
}

// findRejection returns why the target is rejected: by the tests, by too many
// measurements of a query in a row, or at the end of the step by what is missing, where
// that counts as failed.
func (j judging) findRejection(target *unit) string {
	p := j.policy
	if p == nil || p.DryRun {
		return ""
	}
	for _, s := range WorstFirst(j.ro.Analysis) {
		if j.isRejectedBy(s) {
			return j.describeRejection(s) + j.retention.describeFailedHops(target)
		}
		if why := cmp.Or(j.findLost(s), j.findMissing(s)); why != "" {
			return why
		}
	}
	return ""
}

func inARow(n int32) string {
	if n == 1 {
		return "1 measurement"
	}
	return fmt.Sprintf("%d measurements in a row", n)
}

func (j judging) updateMetric(metric Metric, status v1.MetricStatus, target *unit) v1.MetricStatus {
	if metric.Kind != Query {
		return j.updateCounted(metric, status, target)
	}
	p := j.policy
	if found, ok := j.findMeasurement(metric, status, target); ok {
		status = p.countFailures(status, p.judgeQuery(metric, found))
		status.MeasuredAt = &metav1.Time{Time: found.At.Truncate(time.Second)}
	}
	return status
}

// findMeasurement returns a measurement that counts: it is about this target and this
// rollout, or step, and its window begins after the one before.
func (j judging) findMeasurement(metric Metric, last v1.MetricStatus, target *unit) (Measurement, bool) {
	p := j.policy
	at := slices.IndexFunc(j.measurements, func(x Measurement) bool { return x.Name == metric.Name && x.Of == target.Workload })
	if at < 0 {
		return Measurement{}, false
	}
	x := j.measurements[at]
	when, apart := x.At.Truncate(time.Second), p.querySpacing()
	switch {
	case !j.isAboutRollout(when), when.After(j.now.Add(p.Interval)):
		return x, false
	case p.PerStep && (j.ro.StepStartedAt == nil || x.From.Before(j.ro.StepStartedAt.Time)):
		return x, false
	case last.MeasuredAt == nil:
		return x, true
	case j.isFromAnotherClock(last.MeasuredAt.Time):
		return x, !j.isFromAnotherClock(x.At) // What is ahead of the clock was counted before.
	}
	return x, when.Sub(last.MeasuredAt.Time) >= apart-min(time.Second, apart/2)
}

// isAboutRollout reports whether a measurement at a time belongs to this rollout.
func (j judging) isAboutRollout(at time.Time) bool {
	began, known := j.rolloutBegan()
	return known && !at.Before(began)
}

// rolloutBegan returns when the rollout began, by the clock of now: where that went back
// behind the start, the present step counts, and it is false while there is none.
func (j judging) rolloutBegan() (time.Time, bool) {
	began := j.ro.StartedAt
	if began == nil {
		return time.Time{}, true
	}
	if j.isFromAnotherClock(began.Time) {
		began = j.ro.StepStartedAt
	}
	if began == nil {
		return time.Time{}, false
	}
	return began.Time, true
}

func (j judging) isCounted(name string) bool {
	return slices.ContainsFunc(j.policy.Metrics, func(metric Metric) bool { return metric.Name == name && metric.Kind != Query })
}

// isRead reports whether the counters of the target were read.
func (j judging) isRead() bool {
	if j.ro.Target == nil {
		return false
	}
	return j.counters[j.ro.Target.Workload].Known
}

// judgingTime is how long a step waits for requests.
func (j judging) judgingTime() time.Duration {
	return j.roster.policy.JudgingTime(j.rolloutSteps()[j.ro.Step])
}

// judgingLeft returns how much of that time is left in this step.
func (j judging) judgingLeft() time.Duration {
	return j.timeLeft(j.ro.StepStartedAt, j.judgingTime())
}

// findUnprovenQuery is findUnproven of a query.
func (j judging) findUnprovenQuery(s v1.MetricStatus) string {
	p := j.policy
	// A measurement of the second in which the step began may have ended before it.
	early := s.MeasuredAt == nil || j.ro.StepStartedAt != nil && !s.MeasuredAt.After(j.ro.StepStartedAt.Time)
	switch {
	case s.Verdict == v1.AnalysisFail:
		return fmt.Sprintf("its %s is %s (required: %s; %d samples); %d such measurements in a row end the rollout", s.Name, s.Value, s.Threshold, s.Samples, p.FailureLimit)
	case s.Verdict == v1.AnalysisNoData && p.NoData == v1.NoDataPass && !early:
		return ""
	case early && p.NoData == v1.NoDataPass && j.hasWaitedLong():
		return "" // Nothing measures at all.
	case s.Verdict == v1.AnalysisNoData:
		return fmt.Sprintf("no data on its %s yet (%s), which is no failure", s.Name, s.Message)
	case s.Verdict == v1.AnalysisRunning, early:
		return fmt.Sprintf("its %s is being measured", s.Name)
	}
	return ""
}

// hasWaitedLong reports whether a measurement should have come in this step by now.
func (j judging) hasWaitedLong() bool {
	p := j.policy
	length := p.querySpacing() + p.Interval + p.Window
	return j.ro.StepStartedAt != nil && j.timeLeft(j.ro.StepStartedAt, length) == 0
}

// isRejectedBy reports whether a metric rejects the target.
func (j judging) isRejectedBy(s v1.MetricStatus) bool {
	if s.Counted != nil {
		return s.Verdict == v1.AnalysisFail
	}
	return s.Failures >= j.policy.FailureLimit
}

// describeRejection has the value, the bound, and the counts of both versions.
func (j judging) describeRejection(s v1.MetricStatus) string {
	c := s.Counted
	if c == nil {
		return fmt.Sprintf("its %s is %s (required: %s; %d samples, %s)", s.Name, s.Value, s.Threshold, s.Samples, inARow(s.Failures))
	}
	text := fmt.Sprintf("its %s is %s (required: %s; %d of %d requests bad", s.Name, s.Value, s.Threshold, c.Target.Bad, c.Target.Requests)
	if c.Hung > 0 {
		text += fmt.Sprintf(", %d more without an answer", c.Hung)
	}
	if c.Stable != nil {
		text += fmt.Sprintf(", of the stable version %d of %d", c.Stable.Bad, c.Stable.Requests)
	}
	text += fmt.Sprintf("; odds of %s to 1 against a healthy version)", c.Odds)
	if s.Message != "" {
		text += "; " + s.Message
	}
	return text
}

// findMissing returns why missing data, or requests, count as failed. The time in which the
// rollout is frozen does not count.
func (j judging) findMissing(s v1.MetricStatus) string {
	p := j.policy
	if j.ro.Frozen != nil || j.isAtEnd() || !j.isPauseOver() {
		return ""
	}
	silent := s.Verdict == v1.AnalysisNoData || s.Verdict == v1.AnalysisRunning && (!j.isCounted(s.Name) || !j.isRead())
	switch {
	case silent && p.NoData == v1.NoDataFail && j.hasWaitedLong():
		return fmt.Sprintf("no data on its %s (%s), which counts as failed", s.Name, cmp.Or(s.Message, "nothing was measured"))
	case silent, !j.isCounted(s.Name), s.Verdict == v1.AnalysisPass:
		return ""
	case p.Inconclusive == v1.InconclusiveFail && j.ro.StepStartedAt != nil && j.judgingLeft() == 0:
		return describeMissing(s) + "; inconclusive counts as failed"
	}
	return ""
}

// isPauseOver reports whether the whole pause was there to measure in.
func (j judging) isPauseOver() bool {
	step := j.rolloutSteps()[j.ro.Step]
	return j.isAtEnd() || step.Pause > 0 && j.elapsedSince(j.ro.StepStartedAt) >= step.Pause
}

// measureFrom returns when the first interval of a step begins: not before the step, whose
// start has whole seconds. It is nil where none does.
func (j judging) measureFrom(judged bool) *metav1.Time {
	if !judged || j.ro.StepStartedAt == nil {
		return nil
	}
	return &metav1.Time{Time: j.ro.StepStartedAt.Add(time.Second)}
}

// measureInterval is how often to measure a version, zero where nothing depends on it,
// and whether its answers are judged.
func (j judging) measureInterval(u *unit) (every time.Duration, judged bool) {
	p := j.roster.policy
	switch {
	case p.Analysis != nil && j.ro.Mode == v1.RolloutSteps && j.ro.Target != nil && (j.isUnit(u, j.ro.Target) || j.isUnit(u, j.ro.Stable)):
		return p.Analysis.Interval, true
	case j.isUnit(u, j.ro.Stable) && j.isWatched():
		return p.Analysis.Interval, true
	case !j.retention.needsEvidence(u):
		return 0, false
	case u.Phase == v1.VersionDraining:
		return p.SampleEvery(), false
	default:
		return p.WatchEvery(), false
	}
}
