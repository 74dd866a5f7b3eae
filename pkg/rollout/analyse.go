package rollout

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	v1 "gati.dev/gati/api/v1"
)

// updateAnalysis takes in what was measured of the target. It counts measurements, not
// looks: the same one twice, or an older one, changes nothing.
func (m *machine) updateAnalysis(target *unit) {
	p := m.in.Policy.Analysis
	if p == nil || m.ro.Mode != v1.RolloutSteps || m.isManual() {
		m.ro.Analysis = nil
		return
	}
	was := m.ro.Analysis
	m.ro.Analysis = nil
	for _, metric := range p.Metrics {
		status := v1.MetricStatus{Name: metric.Name, Verdict: v1.AnalysisRunning}
		if at := slices.IndexFunc(was, func(s v1.MetricStatus) bool { return s.Name == metric.Name }); at >= 0 {
			status = was[at]
		}
		if new, ok := m.findMeasurement(metric, status, target); ok {
			status = p.countFailures(status, p.judgeMetric(metric, new, target.Weight))
			at := later(nil, new.At.Truncate(time.Second))
			status.MeasuredAt = at
		}
		m.ro.Analysis = append(m.ro.Analysis, status)
		if status.Verdict == v1.AnalysisNoData && status.Samples == 0 {
			m.unmeasured = append(m.unmeasured, fmt.Sprintf("%s of %s: %s.", status.Name, titleFor(target), cmp.Or(status.Message, "nothing was measured")))
		}
	}
	m.lookAgainIn(p.Interval)
}

// findMeasurement returns a measurement that counts: it is about this target and this
// rollout, or step, and was not counted before.
func (m *machine) findMeasurement(metric Metric, last v1.MetricStatus, target *unit) (Measurement, bool) {
	p := m.in.Policy.Analysis
	at := slices.IndexFunc(m.in.Measurements, func(x Measurement) bool { return x.Name == metric.Name && x.Of == target.Workload })
	if at < 0 {
		return Measurement{}, false
	}
	x := m.in.Measurements[at]
	when := x.At.Truncate(time.Second)
	switch {
	case m.ro.StartedAt != nil && when.Before(m.ro.StartedAt.Time), when.After(m.in.Now.Add(p.Interval)):
		return x, false
	case p.PerStep && (m.ro.StepStartedAt == nil || x.From.Before(m.ro.StepStartedAt.Time)):
		return x, false
	case last.MeasuredAt != nil && !last.MeasuredAt.After(m.in.Now) && when.Sub(last.MeasuredAt.Time) < p.Interval-min(time.Second, p.Interval/2):
		return x, false
	}
	return x, true
}

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

// analysisPassed asks for the verdicts on the target, which the last step has
// had already.
func analysisPassed(m *machine, target *unit, step Step) verdict {
	if m.isAtEnd() || m.in.Policy.Analysis == nil {
		return passed
	}
	for _, s := range m.ro.Analysis {
		if why := m.findUnproven(s); why != "" {
			return wait(v1.WaitingForAnalysis, "%s has %s: %s; %s", titleFor(target), m.describeStep(target, step.Weight), why, m.nextStep())
		}
	}
	return passed
}

// findUnproven returns why a step cannot be left yet; empty when a metric has held since
// the step began.
func (m *machine) findUnproven(s v1.MetricStatus) string {
	p := m.in.Policy.Analysis
	early := s.MeasuredAt == nil || m.ro.StepStartedAt != nil && s.MeasuredAt.Before(m.ro.StepStartedAt)
	switch {
	case s.Verdict == v1.AnalysisFail:
		return fmt.Sprintf("its %s is %s (required: %s; %d samples); %d such measurements in a row end the rollout", s.Name, s.Value, s.Threshold, s.Samples, p.FailureLimit)
	case s.Verdict == v1.AnalysisNoData && p.NoData == v1.NoDataPass && !early:
		return ""
	case early && p.NoData == v1.NoDataPass && m.hasWaitedLong():
		return "" // Nothing measures at all.
	case s.Verdict == v1.AnalysisNoData:
		return fmt.Sprintf("no data on its %s yet (%s), which is no failure", s.Name, s.Message)
	case s.Verdict == v1.AnalysisRunning, early:
		return fmt.Sprintf("its %s is being measured", s.Name)
	}
	return ""
}

// hasWaitedLong reports whether a measurement should have come in this step by now.
func (m *machine) hasWaitedLong() bool {
	p := m.in.Policy.Analysis
	length := 2*p.Interval + p.Window
	return m.ro.StepStartedAt != nil && m.timeLeft(m.ro.StepStartedAt, length) == 0
}

// analysisFailed returns which metric has failed too often, or had no data where that
// counts as failed.
func analysisFailed(m *machine, _ *unit, _ Step) string {
	p := m.in.Policy.Analysis
	if p == nil {
		return ""
	}
	for _, s := range m.ro.Analysis {
		switch {
		case s.Failures >= p.FailureLimit:
			return fmt.Sprintf("its %s is %s (required: %s; %d samples, %s)", s.Name, s.Value, s.Threshold, s.Samples, inARow(s.Failures))
		case p.NoData == v1.NoDataFail && s.Verdict != v1.AnalysisPass && s.Verdict != v1.AnalysisFail && !m.isAtEnd() && m.isPauseOver() && m.hasWaitedLong():
			return fmt.Sprintf("no data on its %s (%s), which counts as failed", s.Name, cmp.Or(s.Message, "nothing was measured"))
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
