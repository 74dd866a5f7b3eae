package status

import (
	"fmt"
	"time"

	v1 "gati.dev/gati/api/v1"
)

// Analysis holds the measurements of the version that is being rolled out.
type Analysis struct {
	// Window is the length of the past that each measurement covers.
	Window string `json:"window"`
	// FailureLimit is the number of failed measurements in a row that ends the rollout.
	FailureLimit int32 `json:"failureLimit"`
	// RequestsPerSecond is the rate of the requests in the last window; absent where
	// nothing was counted.
	RequestsPerSecond string `json:"requestsPerSecond,omitempty"`
	// Metrics are the controller's own. Each must hold.
	Metrics []v1.MetricStatus `json:"metrics"`
}

// viewAnalysis returns the measurements of a rollout's target, nil without any.
func viewAnalysis(h *v1.GatiHandler, ro *v1.RolloutStatus) *Analysis {
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
