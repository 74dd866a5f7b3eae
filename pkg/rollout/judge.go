package rollout

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	v1 "gati.dev/gati/api/v1"
)

// MetricKind is the kind of value that a metric measures.
type MetricKind int

// The kinds of metrics.
const (
	SuccessRate MetricKind = iota
	Latency
	Query
)

// AnalysisPolicy has the bounds for the traffic of a new version.
type AnalysisPolicy struct {
	Interval time.Duration
	// Alpha is the chance of each test to reject a healthy version, Detect the multiple
	// of the allowed share that must have had a chance to show.
	Alpha, Detect float64
	Inconclusive  v1.InconclusivePolicy
	// DryRun judges and acts on nothing.
	DryRun bool
	NoData v1.NoDataPolicy
	// Derived reports whether the spec has no analysis. Then only what is measured judges, a
	// step is longer than its pause only while something speaks against the version, and a
	// rollout that began without any analysis ends without.
	Derived bool
	// Window, PerStep, FailureLimit and MinSamples are for queries. PerStep measures each
	// step by itself.
	Window       time.Duration
	PerStep      bool
	FailureLimit int32
	MinSamples   int64
	Metrics      []Metric
	// Advice is measured beside them, and decides nothing.
	Advice []Metric
}

// Metric is one thing that is measured, with its bounds: nil where there is none.
type Metric struct {
	// Name is for sentences, and identifies it.
	Name string
	Kind MetricKind
	// Quantile is that of a Latency, PromQL the text of a Query.
	Quantile float64
	PromQL   string
	// Min and Max are in percent, seconds, or whatever the query gives.
	Min, Max *float64
	// Within is how much worse than stable it may be: percentage points of a
	// SuccessRate, percent of a Latency. A Latency has either Max or Within.
	Within *float64
	// Floor reports whether Min is asked only of requests that cannot be compared.
	Floor bool
}

// analysisFor returns the analysis of a spec, of a Canary without one the default; nil where
// nothing judges.
func analysisFor(r *v1.Rollout) *AnalysisPolicy {
	switch a := r.Analysis; {
	case a == nil && r.Strategy == v1.StrategyCanary:
		return newDefaultAnalysis()
	case a == nil || a.IsOff() || len(a.Metrics) == 0:
		return nil
	default:
		return newAnalysisPolicy(a, false)
	}
}

// defaultInterval is that of the default analysis: five of them find a version that fails every
// request within a minute.
const defaultInterval = v1.Duration("10s")

// newDefaultAnalysis compares with the stable version by the default of within, and where
// nothing can be compared asks that more requests are good than bad. That a version has become
// slower is advice: nobody has said how fast it has to be.
func newDefaultAnalysis() *AnalysisPolicy {
	a := &v1.Analysis{Interval: defaultInterval, Metrics: []v1.AnalysisMetric{{SuccessRate: &v1.SuccessRate{Min: "50", Baseline: &v1.Baseline{Within: "1"}}}}}
	a.SetDefaults()
	out := newAnalysisPolicy(a, true)
	out.Advice = latenciesFor(v1.Latency{Quantile: "0.99", Baseline: &v1.Baseline{Within: "20"}})
	return out
}

func newAnalysisPolicy(a *v1.Analysis, isDerived bool) *AnalysisPolicy {
	out := &AnalysisPolicy{
		Interval: a.Interval.OrDefault(v1.DefaultAnalysisInterval), Detect: float64(*a.Detect), Inconclusive: a.Inconclusive, DryRun: a.DryRun,
		Window: a.Window.OrDefault(v1.DefaultAnalysisWindow), PerStep: a.Mode == v1.AnalysisStep,
		FailureLimit: *a.FailureLimit, MinSamples: int64(*a.MinSamples), NoData: a.NoData, Derived: isDerived,
	}
	tests := 0
	for _, m := range a.Metrics {
		for _, metric := range metricsFor(m) {
			metric.Floor = isDerived
			out.Metrics = append(out.Metrics, metric)
			tests += out.questionFor(metric).Tests()
		}
	}
	out.Alpha = (1 - a.Confidence.Float()/100) / float64(max(1, tests))
	return out
}

// metricsFor returns the metrics of an entry. The bounds of a latency have limits of
// their own, so each is a metric.
func metricsFor(m v1.AnalysisMetric) []Metric {
	switch {
	case m.SuccessRate != nil:
		return []Metric{{Name: "success rate", Kind: SuccessRate, Min: parseNumber(m.SuccessRate.Min), Within: baselineWithin(m.SuccessRate.Baseline)}}
	case m.Latency != nil:
		return latenciesFor(*m.Latency)
	default:
		return []Metric{{Name: m.Query.Name, Kind: Query, PromQL: m.Query.PromQL, Min: parseNumber(m.Query.Min), Max: parseNumber(m.Query.Max)}}
	}
}

func latenciesFor(l v1.Latency) []Metric {
	quantile := l.Quantile.Float()
	base := Metric{Name: "p" + formatDecimal(quantile*100, 4) + " latency", Kind: Latency, Quantile: quantile}
	var out []Metric
	if l.Max != "" {
		limit, most := base, l.Max.Length().Seconds()
		limit.Max = &most
		out = append(out, limit)
	}
	if l.Baseline != nil {
		compared := base
		compared.Name += " against stable"
		compared.Within = baselineWithin(l.Baseline)
		out = append(out, compared)
	}
	return out
}

func parseNumber[T interface {
	~string
	Float() float64
}](text T) *float64 {
	if text == "" {
		return nil
	}
	f := text.Float()
	return &f
}

func baselineWithin(b *v1.Baseline) *float64 {
	if b == nil {
		return nil
	}
	return parseNumber(b.Within)
}

// judgeQuery returns the verdict of a measurement on a query. Too few samples judge
// nothing, and a missing value is neither good nor bad.
func (p *AnalysisPolicy) judgeQuery(metric Metric, m Measurement) v1.MetricStatus {
	out := v1.MetricStatus{Name: metric.Name, Verdict: v1.AnalysisNoData}
	if m.Samples != nil {
		out.Samples = *m.Samples
	}
	switch {
	case !m.Known:
		out.Message = m.Message
		return out
	case m.Samples != nil && *m.Samples < p.MinSamples:
		out.Message = fmt.Sprintf("%d of %d samples", *m.Samples, p.MinSamples)
		return out
	}
	out.Value, out.Threshold = metric.formatValue(m.Value), metric.formatThreshold(metric.Min, metric.Max)
	out.Verdict = v1.AnalysisPass
	if metric.Min != nil && m.Value < *metric.Min || metric.Max != nil && m.Value > *metric.Max {
		out.Verdict = v1.AnalysisFail
	}
	return out
}

// formatValue writes a value with its unit, as people do.
func (m Metric) formatValue(value float64) string {
	switch m.Kind {
	case SuccessRate:
		return formatDecimal(value, 2) + " %"
	case Latency:
		if value < 1 {
			return formatDecimal(value*1000, 1) + " ms"
		}
		return formatDecimal(value, 2) + " s"
	default:
		return formatDecimal(value, 4)
	}
}

func formatDecimal(value float64, digits int) string {
	text := strconv.FormatFloat(value, 'f', digits, 64)
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text
}

func (m Metric) formatThreshold(least, most *float64) string {
	var parts []string
	if least != nil {
		parts = append(parts, "at least "+m.formatValue(*least))
	}
	if most != nil {
		parts = append(parts, "at most "+m.formatValue(*most))
	}
	return strings.Join(parts, " and ")
}
