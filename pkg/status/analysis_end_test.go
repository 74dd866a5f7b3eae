package status_test

import (
	"testing"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/statustest"
	"gati.dev/gati/pkg/status"
)

// TestWhatWasNeverMeasuredDoesNotRun holds that a metric without a measurement is shown while
// the version is judged, and no longer.
func TestWhatWasNeverMeasuredDoesNotRun(t *testing.T) {
	metric := func(verdict v1.AnalysisVerdict) v1.MetricStatus {
		return v1.MetricStatus{Name: "success rate", Verdict: verdict, Message: "judged by its pods alone"}
	}
	objs := statustest.AtStep()
	ro := objs.Handlers[0].Status.Rollout
	ro.Analysis = []v1.MetricStatus{metric(v1.AnalysisRunning)}
	shown := func() *status.Analysis { return status.Build(objs, statustest.Now).Handlers[0].Rollout.Analysis }
	if a := shown(); a == nil || len(a.Metrics) != 1 {
		t.Errorf("during the rollout: %+v", a)
	}
	ro.Target, ro.Phase = nil, v1.RolloutStable
	if a := shown(); a != nil {
		t.Errorf("after it: %+v", a)
	}
	ro.Analysis = append(ro.Analysis, metric(v1.AnalysisPass))
	if a := shown(); a == nil || len(a.Metrics) != 1 || a.Metrics[0].Verdict != v1.AnalysisPass {
		t.Errorf("with one that passed: %+v", a)
	}
}
