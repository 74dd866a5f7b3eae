package signals

import (
	"math"

	"gati.dev/gati/pkg/rollout"
)

// Measurements returns one measurement for each query of the policy, from the reading
// of the target.
func Measurements(p *rollout.AnalysisPolicy, of string, target Reading) []rollout.Measurement {
	var out []rollout.Measurement
	for _, metric := range p.Metrics {
		if metric.Kind != rollout.Query {
			continue
		}
		answer := target.Queries[metric.Name]
		m := rollout.Measurement{
			Name: metric.Name, Of: of, From: target.From, At: target.At,
			Value: answer.Value, Known: answer.Known, Message: answer.Message,
		}
		if target.Requests != nil {
			samples := int64(math.Round(*target.Requests))
			m.Samples = &samples
		}
		out = append(out, m)
	}
	return out
}
