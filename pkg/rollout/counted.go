package rollout

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/analysis"
)

// questionFor returns the question of a metric that counts requests; the zero value for a
// query.
func (p *AnalysisPolicy) questionFor(metric Metric) analysis.Question {
	out := analysis.Question{Alpha: p.Alpha, Detect: p.Detect, Floor: metric.Floor}
	switch {
	case metric.Kind == SuccessRate && metric.Min != nil:
		allowed := roundShare(1 - *metric.Min/100)
		out.Allowed = &allowed
	case metric.Kind == Latency && metric.Max != nil:
		allowed := roundShare(1 - metric.Quantile)
		out.Allowed = &allowed
	}
	switch {
	case metric.Within == nil || metric.Kind == Query:
	case metric.Kind == SuccessRate:
		within := *metric.Within / 100
		out.Within = &within
	default:
		within := roundShare(1 - metric.Quantile)
		out.Within = &within
	}
	return out
}

// roundShare removes the error of a subtraction: 1-0.99 is 0.01.
func roundShare(x float64) float64 { return math.Round(x*1e8) / 1e8 }

// continueTests continues the tests by one interval, or starts them where they ask something
// else than before. It returns how many of the requests that the version needs it has had.
func (p *AnalysisPolicy) continueTests(metric Metric, s *v1.MetricStatus, in analysis.Interval, at time.Time) (credit int64) {
	q, counted := p.questionFor(metric), s.Counted
	asks := describeQuestion(q, counted.Limit)
	var state analysis.State
	if counted.Asks == asks {
		state = stateOf(counted)
	} else {
		counted.Uncompared = 0
	}
	missing := q.Missing(state)
	state = q.Observe(state, in)
	setState(counted, state)
	counted.Asks = asks
	switch q.Verdict(state) {
	case analysis.AboveAllowed, analysis.WorseThanStable:
		if counted.RejectedAt == nil {
			counted.RejectedAt = &metav1.Time{Time: at}
		}
	default:
		counted.RejectedAt = nil
	}
	return missing - q.Missing(state)
}

func describeQuestion(q analysis.Question, limit string) string {
	text := fmt.Sprintf("alpha=%g detect=%g", q.Alpha, q.Detect)
	if q.Allowed != nil {
		text += fmt.Sprintf(" allowed=%g", *q.Allowed)
	}
	if q.Within != nil {
		text += fmt.Sprintf(" compared=%g", *q.Within)
	}
	if q.Floor {
		text += " floor"
	}
	if limit != "" {
		text += " limit=" + limit
	}
	return text
}

// The names of tests that have rejected.
const (
	rejectedAbsolute   = "absolute"
	rejectedComparison = "comparison"
)

// stateOf returns the persisted state of the tests. One that cannot be read is that of no
// evidence.
func stateOf(c *v1.CountedStatus) analysis.State {
	out := analysis.State{
		Target: analysis.Counts(c.Target), Credited: c.Credited, Compared: c.Compared,
		AbsoluteRejected:   slices.Contains(c.Rejected, rejectedAbsolute),
		ComparisonRejected: slices.Contains(c.Rejected, rejectedComparison),
	}
	if c.Stable != nil {
		out.Stable = analysis.Counts(*c.Stable)
	}
	for text, into := range map[string]*analysis.Wealth{c.Absolute: &out.Absolute, c.Comparison: &out.Comparison} {
		w, err := analysis.ParseWealth(text)
		if err != nil {
			return analysis.State{}
		}
		*into = w
	}
	return out
}

func setState(c *v1.CountedStatus, s analysis.State) {
	c.Target, c.Credited, c.Stable = v1.RequestCounts(s.Target), s.Credited, nil
	if s.Stable.Requests > 0 {
		stable := v1.RequestCounts(s.Stable)
		c.Stable = &stable
	}
	c.Absolute, c.Comparison, c.Compared = s.Absolute.String(), s.Comparison.String(), s.Compared
	c.Rejected = nil
	for _, test := range []struct {
		name     string
		rejected bool
	}{{rejectedAbsolute, s.AbsoluteRejected}, {rejectedComparison, s.ComparisonRejected}} {
		if test.rejected {
			c.Rejected = append(c.Rejected, test.name)
		}
	}
}

// estimatePass sets how many more requests the version needs, and when it will have had
// them at the rate of the last interval.
func (p *AnalysisPolicy) estimatePass(metric Metric, s *v1.MetricStatus, credit int64, began, at time.Time) {
	q, counted := p.questionFor(metric), s.Counted
	state := stateOf(counted)
	counted.Missing, counted.PassesAt = q.Missing(state), nil
	counted.Odds, counted.RejectAt = formatOdds(q.Evidence(state)), formatOdds(1/q.Alpha)
	counted.Outlook = outlooks[q.Outlook(state)]
	counted.WouldShow = ""
	if share, ok := q.VisibleFault(state); ok && share > 0 {
		counted.WouldShow = formatDecimal(100*share, 2) + " %"
	}
	if counted.Missing > 0 && credit > 0 && counted.RejectedAt == nil && counted.Outlook != v1.OutlookFailing {
		left := time.Duration(float64(at.Sub(began)) * float64(counted.Missing) / float64(credit))
		counted.PassesAt = &metav1.Time{Time: at.Add(min(left, maxEstimate)).Truncate(time.Second)}
	}
}

var outlooks = map[analysis.Outlook]v1.AnalysisOutlook{
	analysis.HealthySoFar: v1.OutlookHealthy, analysis.Undecided: v1.OutlookUndecided, analysis.Failing: v1.OutlookFailing,
}

// maxEstimate bounds an estimate of time.
const maxEstimate = 30 * 24 * time.Hour

// formatOdds writes odds without an exponent, for people: 0.01 stands for less, too.
func formatOdds(x float64) string {
	if x >= 99.5 { // two digits would be 1e+02
		return strconv.FormatFloat(math.Round(min(x, maxOdds)), 'f', -1, 64)
	}
	if x < 0.01 {
		return "0.01"
	}
	return strconv.FormatFloat(x, 'g', 2, 64)
}

// maxOdds bounds the odds that are shown.
const maxOdds = 1e9

// renderCounted sets the verdict of a metric and what people read of it, with what could not
// be read.
func (p *AnalysisPolicy) renderCounted(metric Metric, s v1.MetricStatus, unread string) v1.MetricStatus {
	counted := s.Counted
	s.Threshold = metric.describeBounds(counted)
	s.Samples = counted.Target.Requests
	switch {
	case s.MeasuredAt == nil || counted.Asks != describeQuestion(p.questionFor(metric), counted.Limit):
		s.Verdict = v1.AnalysisRunning
		return s
	case counted.RejectedAt != nil:
		s.Verdict = v1.AnalysisFail
	case counted.Missing == 0:
		s.Verdict = v1.AnalysisPass
	default:
		s.Verdict = v1.AnalysisInconclusive
	}
	s.Message = unread
	if why := describeUncompared(counted); why != "" && metric.Within != nil && s.Verdict == v1.AnalysisInconclusive {
		s.Message = strings.TrimPrefix(unread+"; "+why, "; ")
	}
	if stateOf(counted).IsStableNoBetter() && counted.RejectedAt != nil {
		s.Message = "the stable version is no better"
	}
	all := counted.Target
	if metric.Within != nil {
		all = v1.RequestCounts{Requests: all.Requests + counted.Hung, Bad: all.Bad + counted.Hung}
	}
	if all.Requests > 0 {
		s.Value = metric.formatShare(float64(all.Bad)/float64(all.Requests), counted.Limit)
	}
	return s
}

// formatShare writes a share of bad requests as people do.
func (m Metric) formatShare(bad float64, limit string) string {
	if m.Kind == SuccessRate {
		return formatDecimal(100*(1-bad), 2) + " %"
	}
	return formatDecimal(100*bad, 2) + " % over " + m.formatLimit(limit)
}

func (m Metric) formatLimit(limit string) string {
	seconds, err := strconv.ParseFloat(limit, 64)
	if err != nil {
		return "its limit"
	}
	return m.formatValue(seconds)
}

// describeBounds describes the limits of a metric. A limit of a latency that was raised names
// what it was made of, and the factor.
func (m Metric) describeBounds(c *v1.CountedStatus) string {
	if m.Kind == SuccessRate {
		text := m.formatThreshold(m.Min, nil)
		if m.Within == nil {
			return text
		}
		compared := fmt.Sprintf("at most %s %% failures, or twice those of stable", formatDecimal(2**m.Within, 3))
		if text == "" {
			return compared
		}
		if m.Floor {
			return compared + "; not compared: " + text
		}
		return text + " and " + compared
	}
	share := formatDecimal(100*roundShare(1-m.Quantile), 4)
	if m.Within != nil {
		quantile, err := strconv.ParseFloat(c.StableQuantile, 64)
		text := m.formatLimit(c.Limit)
		if err == nil {
			text += m.describeFactor(c.Limit, quantile, "that of stable, ")
		}
		return fmt.Sprintf("at most %s %% over %s, or twice the share of stable", formatDecimal(200*roundShare(1-m.Quantile), 4), text)
	}
	if text := m.formatLimit(c.Limit); c.Limit != "" && text != m.formatValue(*m.Max) {
		return fmt.Sprintf("at most %s %% over %s%s", share, text, m.describeFactor(c.Limit, *m.Max, "the bucket above "))
	}
	return fmt.Sprintf("at most %s %% over %s", share, m.formatValue(*m.Max))
}

// describeFactor describes how many times a time the limit is.
func (m Metric) describeFactor(limit string, of float64, what string) string {
	seconds, err := strconv.ParseFloat(limit, 64)
	if err != nil || of <= 0 {
		return ""
	}
	return fmt.Sprintf(" (%s%s, times %s)", what, m.formatValue(of), strconv.FormatFloat(seconds/of, 'g', 2, 64))
}

// updateCounted adds the counters of both versions for one metric. It counts intervals, not
// decisions: counters that were added before, or end earlier, change nothing.
func (j judging) updateCounted(metric Metric, s v1.MetricStatus, target *unit) v1.MetricStatus {
	c, read := j.counters[target.Workload]
	switch {
	case !read:
		return s
	case !c.Known:
		if s.Verdict != v1.AnalysisFail {
			s.Verdict, s.Message = v1.AnalysisNoData, c.Message
		}
		return s
	case j.isFromAnotherClock(c.At) || !j.isAboutRollout(c.At):
		return s
	}
	if s.Counted == nil {
		s.Counted = &v1.CountedStatus{}
	} else {
		s.Counted = s.Counted.DeepCopy()
	}
	limit, known := j.chooseLimit(metric, &s, c)
	if known {
		j.countInterval(metric, limit, &s, target, c)
	}
	return j.policy.renderCounted(metric, s, c.Message)
}

// countInterval ends the running interval where it is long enough and has a request.
func (j judging) countInterval(metric Metric, limit float64, s *v1.MetricStatus, target *unit, c Counters) {
	counted, p := s.Counted, j.policy
	end, at := j.intervalBegan(s), c.At.Truncate(time.Second)
	if counted.TargetCounters == nil {
		j.beginCounting(metric, limit, s, target, c)
		return
	}
	if isLate := !at.After(end); isLate || at.Sub(end) < p.Interval-min(time.Second, p.Interval/2) {
		return
	}
	read, n := metric.increaseSince(counted.TargetCounters, end, c, limit)
	if n.isWhole && n.withHung().Requests == 0 {
		return // Nothing happened: the interval stays open, and nothing is written.
	}
	counted.TargetCounters = read
	counted.Hung += n.hung
	in := analysis.Interval{Target: analysis.Counts(n.RequestCounts)}
	in.Compared = j.continueComparison(metric, limit, counted, target, countedInterval{end, c.At, n})
	in.IsOpen = counted.Open != nil && counted.Open.Intervals > 0 && counted.Open.Stable.Requests > 0
	p.estimatePass(metric, s, p.continueTests(metric, s, in, at), end, at)
	s.MeasuredAt = &metav1.Time{Time: at}
}

// beginCounting begins the first interval with what was counted by then. Requests from before
// the gateway has accepted a weight are those of checks and of testers, and no evidence.
func (j judging) beginCounting(metric Metric, limit float64, s *v1.MetricStatus, target *unit, c Counters) {
	at, since := c.At.Truncate(time.Second), j.ro.StepStartedAt
	if target.Weight == 0 || j.ro.Phase != v1.RolloutStable && (since == nil || !at.After(since.Time)) {
		return
	}
	s.Counted.TargetCounters, _ = metric.increaseSince(nil, at, c, limit)
	j.continueComparison(metric, limit, s.Counted, target, countedInterval{at: c.At})
	j.policy.estimatePass(metric, s, j.policy.continueTests(metric, s, analysis.Interval{}, at), at, at)
	s.MeasuredAt = &metav1.Time{Time: at}
}

// intervalBegan returns when the running interval began. A time from another clock is
// replaced: requests counted by then do not count again.
func (j judging) intervalBegan(s *v1.MetricStatus) time.Time {
	switch {
	case s.MeasuredAt != nil && j.isFromAnotherClock(s.MeasuredAt.Time):
		s.MeasuredAt = &metav1.Time{Time: j.now.Truncate(time.Second)}
		return s.MeasuredAt.Time
	case s.MeasuredAt != nil:
		return s.MeasuredAt.Time
	}
	if began, known := j.rolloutBegan(); known && !began.IsZero() {
		return began
	}
	return j.now
}

// chooseLimit returns the limit of a latency, a bound of the histograms of both versions.
// A limit that changes starts the tests again. It is false where there is none yet.
func (j judging) chooseLimit(metric Metric, s *v1.MetricStatus, c Counters) (float64, bool) {
	if metric.Kind != Latency {
		return 0, true
	}
	counted, want, quantile := s.Counted, 0.0, 0.0
	stable := j.stableCounters()
	switch {
	case metric.Max != nil:
		want = *metric.Max
	case counted.Limit != "":
		want, _ = strconv.ParseFloat(counted.Limit, 64)
	default:
		value, found := stable.quantileTime(metric.Quantile)
		if !found {
			s.Message = "the stable version has no latencies to compare with"
			return 0, false
		}
		want, quantile = value*(1+*metric.Within/100), value
	}
	with := []Counters{c}
	if metric.Within != nil {
		with = append(with, stable)
	}
	limit, found := findLimit(want, with...)
	if !found {
		return 0, false
	}
	if math.IsInf(limit, 1) {
		s.Message = fmt.Sprintf("no bound of the histogram is at or above %s", metric.formatValue(want))
		return 0, false
	}
	if text := strconv.FormatFloat(limit, 'g', -1, 64); counted.Limit != text {
		counted.Limit = text
		if quantile > 0 {
			counted.StableQuantile = strconv.FormatFloat(quantile, 'g', 3, 64)
		}
		counted.TargetCounters, counted.StableCounters, counted.Open = nil, nil, nil
	}
	return limit, true
}
