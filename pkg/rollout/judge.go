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
	Interval, Window time.Duration
	// PerStep measures each step by itself.
	PerStep      bool
	FailureLimit int32
	MinSamples   int64
	NoData       v1.NoDataPolicy
	Metrics      []Metric
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
	// SuccessRate, percent of a Latency.
	Within *float64
}

// analysisFor returns the analysis of a spec, nil where it has none.
func analysisFor(a *v1.Analysis) *AnalysisPolicy {
	if a == nil || len(a.Metrics) == 0 {
		return nil
	}
	out := &AnalysisPolicy{
		Interval: a.Interval.Or(30 * time.Second), Window: a.Window.Or(time.Minute), PerStep: a.Mode == v1.AnalysisStep,
		FailureLimit: *a.FailureLimit, MinSamples: int64(*a.MinSamples), NoData: a.NoData,
	}
	for _, m := range a.Metrics {
		out.Metrics = append(out.Metrics, metricFor(m))
	}
	return out
}

func metricFor(m v1.AnalysisMetric) Metric {
	switch {
	case m.SuccessRate != nil:
		return Metric{Name: "success rate", Kind: SuccessRate, Min: number(m.SuccessRate.Min), Within: within(m.SuccessRate.Baseline)}
	case m.Latency != nil:
		quantile := m.Latency.Quantile.Float()
		out := Metric{Name: "p" + decimal(quantile*100, 4) + " latency",
			Kind: Latency, Quantile: quantile, Within: within(m.Latency.Baseline)}
		if m.Latency.Max != "" {
			most := m.Latency.Max.Length().Seconds()
			out.Max = &most
		}
		return out
	default:
		return Metric{Name: m.Query.Name, Kind: Query, PromQL: m.Query.PromQL, Min: number(m.Query.Min), Max: number(m.Query.Max)}
	}
}

func number[T interface {
	~string
	Float() float64
}](text T) *float64 {
	if text == "" {
		return nil
	}
	f := text.Float()
	return &f
}

func within(b *v1.Baseline) *float64 {
	if b == nil {
		return nil
	}
	return number(b.Within)
}

// judgeMetric returns the verdict of a measurement on a metric. Too few samples judge
// nothing, and a missing value is neither good nor bad. With all traffic at the target
// there is nothing to compare with, and the absolute bounds alone judge.
func (p *AnalysisPolicy) judgeMetric(metric Metric, m Measurement, weight int32) v1.MetricStatus {
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
	least, most, compared := metric.effectiveBounds(m.Baseline)
	out.Value, out.Threshold = metric.formatValue(m.Value), metric.formatThreshold(least, most)
	if m.AtLeast {
		out.Value = "more than " + out.Value
	}
	switch {
	case least != nil && m.Value < *least, most != nil && m.Value > *most, most != nil && m.AtLeast && m.Value == *most:
		out.Verdict = v1.AnalysisFail
	case most != nil && m.AtLeast:
		out.Message = "the slowest requests are beyond the histogram's last bound"
	case !compared && weight < 100:
		out.Message = "the stable version has too few requests to compare with"
	default:
		out.Verdict = v1.AnalysisPass
	}
	return out
}

// effectiveBounds are what the value is held to, with those that follow from the stable
// version; compared is false where its value is missing.
func (m Metric) effectiveBounds(stable *float64) (least, most *float64, compared bool) {
	least, most = m.Min, m.Max
	if m.Within == nil {
		return least, most, true
	}
	if stable == nil {
		return least, most, false
	}
	switch m.Kind {
	case SuccessRate:
		bound := *stable - *m.Within
		if least == nil || bound > *least {
			least = &bound
		}
	default:
		bound := *stable * (1 + *m.Within/100)
		if most == nil || bound < *most {
			most = &bound
		}
	}
	return least, most, true
}

// formatValue writes a value with its unit, as people do.
func (m Metric) formatValue(value float64) string {
	switch m.Kind {
	case SuccessRate:
		return decimal(value, 2) + " %"
	case Latency:
		if value < 1 {
			return decimal(value*1000, 1) + " ms"
		}
		return decimal(value, 2) + " s"
	default:
		return decimal(value, 4)
	}
}

func decimal(value float64, digits int) string {
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
