package rollout

import (
	"fmt"
	"strings"

	v1 "gati.dev/gati/api/v1"
)

// realShare returns the share that a weight of the target comes to, and where pods divide
// the traffic otherwise, by which of them.
func (t traffic) realShare(target *unit, weight int32) (percent int32, by string) {
	stable := t.findUnit(t.ro.Stable)
	if t.policy.Gateway || stable == nil || stable == target || t.ro.Mode == v1.RolloutInPlace {
		return weight, ""
	}
	split := t.apportionReplicas(weights{stable: 100 - weight, target: weight})
	n, all := split[target], split[target]+split[stable]
	if all == 0 || n*100/all == weight {
		return weight, ""
	}
	return n * 100 / all, fmt.Sprintf("%d of %s for %d %%", n, countPods(all, ""), weight)
}

// describeShare returns the share that a weight of the target comes to.
func (t traffic) describeShare(target *unit, weight int32) string {
	percent, by := t.realShare(target, weight)
	if by == "" {
		return fmt.Sprintf("%d %%", percent)
	}
	return fmt.Sprintf("%d %%, %s", percent, by)
}

// describeStep returns the share of the current step, with the step.
func (t traffic) describeStep(target *unit, weight int32) string {
	percent, by := t.realShare(target, weight)
	step := ""
	if t.ro.Mode == v1.RolloutSteps {
		step = fmt.Sprintf("step %d of %d", t.ro.Step+1, len(t.rolloutSteps()))
	}
	switch {
	case step == "":
		return t.describeShare(target, weight)
	case by == "":
		return fmt.Sprintf("%d %% (%s)", percent, step)
	default:
		return fmt.Sprintf("%d %% (%s; %s)", percent, step, by)
	}
}

// stepTitle names the step for sentences, for a rollout that takes any.
func (t traffic) stepTitle() string {
	if t.ro.Mode != v1.RolloutSteps {
		return ""
	}
	return fmt.Sprintf(" (step %d of %d)", t.ro.Step+1, len(t.rolloutSteps()))
}

// pausedAt names the user who paused the running rollout, and the step.
func (t traffic) pausedAt(target *unit) string {
	share := t.describeShare(target, target.Weight)
	if t.ro.Mode != v1.RolloutSteps {
		return fmt.Sprintf("Paused by %s at %s", t.ro.Frozen.By, share)
	}
	return fmt.Sprintf("Paused by %s at step %d of %d (%s)", t.ro.Frozen.By, t.ro.Step+1, len(t.rolloutSteps()), share)
}

// nextStep names the weight that follows the step.
func (t traffic) nextStep() string {
	steps, weight := t.rolloutSteps(), t.currentStep().Weight
	at := int(t.ro.Step)
	if at+1 >= len(steps) || steps[at+1].Weight == weight {
		return "completion is next"
	}
	target := t.findUnit(t.ro.Target)
	now, _ := t.realShare(target, weight)
	next, _ := t.realShare(target, steps[at+1].Weight)
	if now == next {
		return "the next step has the same pods"
	}
	return fmt.Sprintf("%d %% is next", next)
}

// weightsLine is "v1 70 %, v2 30 %". Where pods divide the traffic it has the shares that
// they come to, and then the weights.
func (t traffic) weightsLine() string {
	var parts []string
	now := weights{}
	for _, u := range t.units {
		if isLive(u) && u.Weight > 0 {
			now[u] = u.Weight
		}
	}
	real := t.realShares(now)
	for _, u := range t.units {
		switch {
		case now[u] == 0:
		case real[u] != now[u]:
			parts = append(parts, fmt.Sprintf("%s (%d %% wanted)", describeShare(titleFor(u), real[u]), now[u]))
		default:
			parts = append(parts, describeShare(titleFor(u), now[u]))
		}
	}
	return strings.Join(parts, ", ")
}

// describeRaise returns why a weight can be raised. Without a gateway the raise itself
// starts the pods, so their number is left out: it would read as if pods that are not ready
// were called.
func (t traffic) describeRaise(target *unit, weight int32) string {
	ready, needed := t.readyPods(target), t.neededReplicas(weight)
	if !t.policy.Gateway && ready < needed {
		return "each pod serves once it is ready"
	}
	return fmt.Sprintf("%d of %d pods ready", ready, needed)
}
