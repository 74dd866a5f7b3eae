package status

import (
	"fmt"
	"time"

	v1 "gati.dev/gati/api/v1"
)

// Analysis is what is measured of a version that is being rolled out.
type Analysis struct {
	// Window is how much of the past each measurement speaks of.
	Window string `json:"window"`
	// FailureLimit is how many measurements in a row end the rollout.
	FailureLimit int32 `json:"failureLimit"`
	// RequestsPerSecond is how many requests the last measurement rests on, for each
	// second of the window; absent where nothing was counted.
	RequestsPerSecond string `json:"requestsPerSecond,omitempty"`
	// Metrics are as the controller has them. Each must hold.
	Metrics []v1.MetricStatus `json:"metrics"`
}

// analysisOf returns what is measured of a rollout's target, nil where nothing is.
func analysisOf(h *v1.GatiHandler, ro *v1.RolloutStatus) *Analysis {
	if len(ro.Analysis) == 0 {
		return nil
	}
	window, limit := time.Minute, int32(2) // as the CRD's defaults
	if r := h.Spec.Rollout; r != nil && r.Analysis != nil {
		window = r.Analysis.Window.Or(window)
		if r.Analysis.FailureLimit != nil {
			limit = *r.Analysis.FailureLimit
		}
	}
	out := &Analysis{Window: length(window), FailureLimit: limit, Metrics: ro.Analysis}
	var samples int64
	for i := range ro.Analysis {
		samples = max(samples, ro.Analysis[i].Samples)
	}
	if samples > 0 {
		out.RequestsPerSecond = fmt.Sprintf("%.1f", float64(samples)/window.Seconds())
	}
	return out
}
