package rollout_test

import (
	"testing"
	"time"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/rollouttest"
	"gati.dev/gati/pkg/rollout"
)

// compared is a Canary that pauses at 100 % and is held to the stable version.
func compared(t *testing.T, gateway bool, metric rollout.Metric) *rollouttest.Life {
	t.Helper()
	l := settled(t, v1.StrategyCanary)
	l.Policy.Gateway = gateway
	l.Policy.Steps = []rollout.Step{{Weight: 50, Pause: 20 * time.Second}, {Weight: 100, Pause: 2 * time.Minute}}
	l.Policy.Analysis = &rollout.AnalysisPolicy{
		Interval: 10 * time.Second, Window: 20 * time.Second, FailureLimit: 2, MinSamples: 20, NoData: v1.NoDataWait, Metrics: []rollout.Metric{metric},
	}
	l.Declare("v2", 1)
	return l
}

// TestAComparisonRestsAtFullWeight holds that a step of 100 % ends although the stable
// version has no request left to compare with, and that an absolute bound still judges.
func TestAComparisonRestsAtFullWeight(t *testing.T) {
	within, least := 1.0, 98.0
	for name, gateway := range map[string]bool{"gateway": true, "pods": false} {
		t.Run(name, func(t *testing.T) {
			l := compared(t, gateway, rollout.Metric{Name: "success rate", Kind: rollout.SuccessRate, Within: &within})
			pass(t, l, 60)
			if r := l.State.Rollout; r.Phase != v1.RolloutStable || r.Stable.Version != "v2" {
				t.Errorf("in phase %s %s serves: %s", r.Phase, r.Stable.Version, l.Last.Reason)
			}
		})
	}
	t.Run("an absolute bound", func(t *testing.T) {
		l := compared(t, true, rollout.Metric{Name: "success rate", Kind: rollout.SuccessRate, Within: &within, Min: &least})
		for weightOf(&l.Last, "v2") < 100 {
			pass(t, l, 1)
		}
		l.Cluster.Qualities["v2-r1"] = rollouttest.Wrong
		pass(t, l, 10)
		if r := l.State.Rollout; len(r.Rejected) != 1 || r.Stable.Version != "v1" {
			t.Errorf("%d rejections, %s serves: %s", len(r.Rejected), r.Stable.Version, l.Last.Reason)
		}
	})
}
