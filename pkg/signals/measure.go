package signals

import (
	"math"

	"gati.dev/gati/pkg/rollout"
)

// Measurements returns one measurement for each metric of the policy, from the
// readings of the target and, if there is one, of the stable version.
func Measurements(p *rollout.AnalysisPolicy, of string, target Reading, stable *Reading) []rollout.Measurement {
	var out []rollout.Measurement
	for _, metric := range p.Metrics {
		m := rollout.Measurement{Name: metric.Name, Of: of, From: target.From, At: target.At, Message: target.Message}
		if target.Stats != nil {
			samples := int64(math.Round(target.Stats.Requests))
			m.Samples = &samples
		}
		if metric.Kind == rollout.Query {
			answer := target.Queries[metric.Name]
			m.Value, m.Known, m.Message = answer.Value, answer.Known, answer.Message
		} else if target.Stats != nil {
			m.Value, m.AtLeast, m.Known = metricValue(metric, target.Stats)
			m.Message = "no request has ended"
			m.Baseline = baselineValue(metric, p.MinSamples, stable)
		}
		out = append(out, m)
	}
	return out
}

func metricValue(metric rollout.Metric, s *Stats) (value float64, atLeast, known bool) {
	if metric.Kind == rollout.Latency {
		return s.Quantile(metric.Quantile)
	}
	value, known = s.SuccessRate()
	return value, false, known
}

// baselineValue returns the metric of the stable version, or nil if it rests on too
// few requests.
func baselineValue(metric rollout.Metric, least int64, stable *Reading) *float64 {
	if stable == nil || stable.Stats == nil || stable.Stats.Requests < float64(least) {
		return nil
	}
	value, atLeast, known := metricValue(metric, stable.Stats)
	if !known || atLeast {
		return nil
	}
	return &value
}
