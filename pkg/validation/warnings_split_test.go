package validation

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
)

// TestStepsThatPodsCannotTellApart checks which steps of a Canary without a route
// result in the same pods.
func TestStepsThatPodsCannotTellApart(t *testing.T) {
	canary := func(replicas int32, weights ...int32) *builders.Handler {
		h := builders.MakeHandler("a").Image("i:v1").Strategy(v1.StrategyCanary).Replicas(replicas)
		for _, w := range weights {
			h.Step(w, "5m")
		}
		return h
	}
	const remedy = "; raise replicas or set spec.route"
	tests := map[string]struct {
		of   *builders.Handler
		want []string
	}{
		"2 pods":              {canary(2, 25, 50, 100), []string{"spec.rollout.steps: without spec.route, 25 % and 50 % are both 1 of 2 pods (50 %)" + remedy}},
		"the default steps":   {canary(2), []string{"spec.rollout.steps: without spec.route, 10 % and 50 % are both 1 of 2 pods (50 %)" + remedy}},
		"1 pod, three steps":  {canary(1, 10, 20, 90, 100), []string{"spec.rollout.steps: without spec.route, 10 % to 90 % are all 1 of 2 pods (50 %)" + remedy}},
		"two groups":          {canary(5, 10, 20, 60, 70), []string{"spec.rollout.steps: without spec.route, 10 % and 20 % are both 1 of 5 pods (20 %)" + remedy, "spec.rollout.steps: without spec.route, 60 % and 70 % are both 3 of 5 pods (60 %)" + remedy}},
		"told apart":          {canary(10, 10, 50), nil},
		"one weight, twice":   {canary(2, 50, 50), nil},
		"one step":            {canary(2, 25), nil},
		"no pods":             {canary(0, 25, 50), nil},
		"with a route":        {canary(2, 25, 50).Gateway("web"), nil},
		"by an autoscaler":    {canary(2, 25, 50).Autoscale(2, 9), nil},
		"under RollingUpdate": {builders.MakeHandler("a").Image("i:v1").Replicas(2), nil},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, WarnHandler(tc.of.Obj())); diff != "" {
				t.Errorf("(-want,+got):\n%s", diff)
			}
		})
	}
}
