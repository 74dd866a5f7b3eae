package rollout

import (
	v1 "gati.dev/gati/api/v1"
)

// gates are asked in this order; the first that does not pass holds the rollout.
// That the target has ready pods, and has passed the checks before traffic, comes first:
// until then its weight is not raised. The rest is about the weight as it is.
var gates = []func(*machine, *unit, Step) verdict{
	mayServe,
	routeAccepted,
	checksPassed,
	pauseOver,
	analysisPassed,
}

// podsReady asks for the pods that the weight of the step needs.
func podsReady(m *machine, target *unit, step Step) verdict {
	w, seen := m.observedWorkload(target)
	need := m.traffic.neededReadyPods(step)
	switch {
	case !seen:
		m.lookAgainIn(retryInterval)
		return waitFor(v1.WaitingForObservation, "the workload %s of %s was not read yet", target.Workload, titleFor(target))
	case w.Ready < need:
		return m.podsDeadline(waitFor(shortageReason(w), "%s has %d of the %s that %d %% needs%s%s", titleFor(target), w.Ready, countPods(need, "ready "), step.Weight, m.traffic.stepTitle(), describeTrouble(w)))
	case m.in.Policy.Gateway && target.Weight < step.Weight && settledPods(w) < need:
		return waitFor(v1.WaitingForEndpoints, "%s has the %s that %d %% needs%s; gateways may not know %d of them yet", titleFor(target), countPods(need, "ready "), step.Weight, m.traffic.stepTitle(), w.Settling)
	default:
		return passed
	}
}

// shortageReason returns the reason of a wait for missing pods.
func shortageReason(w Workload) v1.WaitingReason {
	if w.Obstructed {
		return v1.WaitingForInfrastructure
	}
	return v1.WaitingForPods
}

// routeAccepted asks that the gateway has taken the weight.
func routeAccepted(m *machine, target *unit, step Step) verdict {
	v := m.gateway.checkRoute(true)
	if !v.isPass() {
		return v.withPrefix("%s is set to %s", titleFor(target), m.traffic.describeStep(target, step.Weight))
	}
	if m.ro.StepStartedAt == nil && m.ro.Mode == v1.RolloutSteps {
		m.ro.StepStartedAt = m.stampNow()
	}
	return passed
}

// pauseOver asks that the pause of the step is over. One without a length lasts
// until a user promotes.
func pauseOver(m *machine, target *unit, step Step) verdict {
	if m.isAtEnd() {
		return passed
	}
	if step.Pause == 0 {
		return waitFor(v1.WaitingForPromotion, "%s has %s until it is promoted; %s", titleFor(target), m.traffic.describeStep(target, step.Weight), m.traffic.nextStep())
	}
	if m.timeLeft(m.ro.StepStartedAt, step.Pause) > 0 {
		return waitFor(v1.WaitingForPause, "%s has %s; %s", titleFor(target), m.traffic.describeStep(target, step.Weight), m.traffic.nextStep()).
			untilTime(m.deadlineAfter(m.ro.StepStartedAt, step.Pause))
	}
	return passed
}
