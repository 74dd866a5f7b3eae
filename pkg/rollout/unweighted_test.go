package rollout_test

import (
	"testing"
	"time"
)

// TestRequestsWithoutWeightAreNoEvidence sends requests to the new version before the gateway
// has accepted its first weight: a smoke test that expects failures rolls nothing back, and a
// load test buys no verdict.
func TestRequestsWithoutWeightAreNoEvidence(t *testing.T) {
	for name, bad := range map[string]float64{"a smoke test that fails": 5000, "a load test that passes": 0} {
		t.Run(name, func(t *testing.T) {
			l := judged(t)
			l.Cluster.AcceptLag = 5 * time.Minute
			l.Declare("v2", 1)
			for range 12 {
				pass(t, l, 1)
				if w := l.Cluster.Counters()["v2"]; len(w.Instances) > 0 {
					l.Cluster.Send("v2", 0, 5000, bad)
				}
			}
			if ro := l.State.Rollout; len(ro.Rejected) > 0 || ro.StepStartedAt != nil {
				t.Fatalf("before the first weight was accepted: step since %s, rejected %+v", ro.StepStartedAt, ro.Rejected)
			}
			l.Cluster.AcceptLag = 0
			for l.State.Rollout.StepStartedAt == nil {
				pass(t, l, 1)
			}
			pass(t, l, 12)
			if _, rejected := serving(l); rejected != "" {
				t.Fatal(rejected)
			}
			if got := metricOf(t, l).Counted.Target; got.Requests == 0 || got.Requests > 500 || got.Bad > 0 {
				t.Errorf("%+v was counted in two minutes at 0.5 requests a second", got)
			}
		})
	}
}
