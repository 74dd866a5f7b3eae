package validation

import (
	"fmt"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/rollout"
)

// warnSplit names the steps of a Canary that result in the same pods when no route
// splits the traffic.
func warnSplit(s *v1.GatiHandlerSpec) []string {
	autoscaled := s.Autoscaling != nil && s.Autoscaling.Enabled != nil && *s.Autoscaling.Enabled
	if s.Rollout == nil || s.Rollout.Strategy != v1.StrategyCanary || s.Route != nil || autoscaled {
		return nil
	}
	replicas := int32(v1.DefaultReplicas)
	if s.Replicas != nil {
		replicas = *s.Replicas
	}
	var out []string
	for _, group := range groupByPods(rollout.StepsFor(s.Rollout.Steps), replicas) {
		if len(group) > 1 {
			n, all := rollout.SplitPods(group[0], replicas)
			out = append(out, fmt.Sprintf("spec.rollout.steps: without spec.route, %s %d of %d pods (%d %%); raise replicas or set spec.route", joinPercents(group), n, all, n*100/all))
		}
	}
	return out
}

// groupByPods groups the weights of steps that result in the same pods.
func groupByPods(steps []rollout.Step, replicas int32) [][]int32 {
	var out [][]int32
	last := int32(-1)
	for _, step := range steps {
		n, all := rollout.SplitPods(step.Weight, replicas)
		switch {
		case all == 0 || step.Weight == 100:
			continue
		case n == last && out[len(out)-1][len(out[len(out)-1])-1] == step.Weight:
			continue // A second pause at one weight.
		case n == last:
			out[len(out)-1] = append(out[len(out)-1], step.Weight)
		default:
			out = append(out, []int32{step.Weight})
		}
		last = n
	}
	return out
}

// joinPercents returns "10 % and 25 % are both", or "10 % to 50 % are all".
func joinPercents(weights []int32) string {
	if len(weights) == 2 {
		return fmt.Sprintf("%d %% and %d %% are both", weights[0], weights[1])
	}
	return fmt.Sprintf("%d %% to %d %% are all", weights[0], weights[len(weights)-1])
}
