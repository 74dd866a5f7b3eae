package simulate

import (
	"slices"
	"time"

	"k8s.io/utils/ptr"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/rollout"
)

// Plan is what is to be expected of the rollout of a healthy version at a rate of requests.
type Plan struct {
	RequestsPerSecond float64       `json:"requestsPerSecond"`
	Steps             []PlannedStep `json:"steps"`
	// SecondsToPromotion is absent where the rollout waits for a user before.
	SecondsToPromotion *int64 `json:"secondsToPromotion,omitempty"`
}

// PlannedStep is one step of a plan. The last one has all traffic, and is judged until
// rollbackWindow is over.
type PlannedStep struct {
	Weight int32 `json:"weight"`
	// Seconds are how long it lasts.
	Seconds int64 `json:"seconds"`
	// Missing are the requests of the new version that are missing at its begin for a verdict
	// by every metric, SecondsToVerdict how long they take at its weight; absent where none
	// come.
	Missing          int64  `json:"missing"`
	SecondsToVerdict *int64 `json:"secondsToVerdict,omitempty"`
	// HasVerdict reports whether they have come by its end.
	HasVerdict bool `json:"hasVerdict"`
	// Shows are the smallest faults that would have shown by its end.
	Shows []Shown `json:"shows"`
}

// Shown is the smallest fault that a metric would have shown; without a share, none would.
type Shown struct {
	Metric string `json:"metric"`
	Share  string `json:"share,omitempty"`
}

// NewPlan plays the rollout of a healthy version with even requests.
func NewPlan(p rollout.Policy, perSecond float64) Plan {
	run := NewPlayer(Scenario{Policy: p, PerSecond: perSecond}, Even).Play()
	out := Plan{RequestsPerSecond: perSecond}
	for i := range run.Steps {
		out.Steps = append(out.Steps, planStep(p.Analysis, &run.Steps[i]))
	}
	if run.Outcome == Promoted {
		out.SecondsToPromotion = ptr.To(secondsOf(run.Took))
	}
	return out
}

func planStep(p *rollout.AnalysisPolicy, s *Step) PlannedStep {
	out := PlannedStep{Weight: s.Weight, Seconds: secondsOf(s.Took), HasVerdict: s.Passed != nil}
	left := int64(0)
	for _, metric := range p.Metrics {
		before, after := findMetric(s.Before, metric), findMetric(s.After, metric)
		out.Missing, left = max(out.Missing, p.Missing(metric, before)), max(left, p.Missing(metric, after))
		shown := Shown{Metric: metric.Name}
		if after.Counted != nil {
			shown.Share = after.Counted.WouldShow
		}
		out.Shows = append(out.Shows, shown)
	}
	switch {
	case s.Passed != nil:
		out.SecondsToVerdict = ptr.To(secondsOf(*s.Passed - s.Began))
	case left < out.Missing:
		out.SecondsToVerdict = ptr.To(out.Seconds * out.Missing / (out.Missing - left))
	}
	return out
}

func findMetric(list []v1.MetricStatus, metric rollout.Metric) v1.MetricStatus {
	if at := slices.IndexFunc(list, func(s v1.MetricStatus) bool { return s.Name == metric.Name }); at >= 0 {
		return list[at]
	}
	return v1.MetricStatus{}
}

func secondsOf(d time.Duration) int64 { return int64(d.Round(time.Second).Seconds()) }
