package rollouttest

import (
	"math/rand"
	"time"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/rollout"
)

// RandomAnalysis returns a query that a user might hold a new version to. What counts
// requests has tests of its own, in pkg/analysis and pkg/rollout.
func RandomAnalysis(random *rand.Rand) *rollout.AnalysisPolicy {
	least := 98.0
	return &rollout.AnalysisPolicy{
		Interval: time.Duration(5+random.Intn(60)) * time.Second, Window: time.Duration(10+random.Intn(50)) * time.Second,
		PerStep: random.Intn(3) == 0, FailureLimit: int32(1 + random.Intn(3)), MinSamples: 20,
		NoData:  []v1.NoDataPolicy{v1.NoDataWait, v1.NoDataPass, v1.NoDataFail}[random.Intn(3)],
		Metrics: []rollout.Metric{{Name: metricName, Kind: rollout.Query, Min: &least}},
	}
}

const metricName = "share of good answers"

// Measure returns what the source says of a target.
func (c *Cluster) Measure(name string, p *rollout.AnalysisPolicy) []rollout.Measurement {
	w, ok := c.workloads[name]
	if p == nil || !ok || p.Metrics[0].Kind != rollout.Query {
		return nil
	}
	samples := int64(400)
	m := rollout.Measurement{
		Name: metricName, Of: name, From: c.machineTime().Add(-p.Window), At: c.machineTime(), Known: true, Value: 99.9, Samples: &samples,
	}
	switch q := c.Qualities[w.unit.Revision]; {
	case q == Unseen || c.Exposed(name) == 0 && c.route.exists || c.readyPods(w) == 0:
		samples = 0
	case q == Few:
		samples, m.Value = 3, 33.3
	case q == Wrong:
		m.Value = 91.2
	}
	if c.Source == Flaky {
		switch c.random.Intn(6) {
		case 0:
			return nil
		case 1:
			return []rollout.Measurement{{Name: metricName, Of: name, At: c.machineTime(), Message: "context deadline exceeded"}}
		case 2:
			if len(w.measured) > 0 {
				return w.measured
			}
		}
	}
	w.measured = []rollout.Measurement{m}
	return w.measured
}
