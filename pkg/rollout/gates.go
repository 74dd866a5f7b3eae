package rollout

import (
	v1 "gati.dev/gati/api/v1"
)

// gatekeeper decides whether a rollout goes on, is held or has failed.
type gatekeeper struct {
	*roster
	*clock
	traffic   traffic
	contracts contracts
	pods      podWatch
	judging   judging
	checks    checks
	gateway   gateway
}

// gates are asked in this order; the first that does not pass holds the rollout.
// That the target has ready pods, and has passed the checks before traffic, comes first:
// until then its weight is not raised. The rest is about the weight as it is.
var gates = []func(gatekeeper, *unit, Step) verdict{
	gatekeeper.awaitTarget,
	gatekeeper.awaitRoute,
	gatekeeper.awaitChecks,
	gatekeeper.awaitPause,
	gatekeeper.awaitAnalysis,
}

// findFailure returns why a rollout must not go on, empty when it may. It is asked
// before the gates, also in a pause and while a user has paused the rollout.
func (g gatekeeper) findFailure(target *unit, step Step) string {
	g.pods.watchPods(target, step)
	g.judging.updateAnalysis(target)
	g.checks.updateChecks(target)
	for _, find := range []func(gatekeeper, *unit, Step) string{
		gatekeeper.findFailedPods, gatekeeper.findLackedTransformer, gatekeeper.findRejection, gatekeeper.findFailedCheck,
	} {
		if why := find(g, target, step); why != "" {
			return why
		}
	}
	return ""
}

func (g gatekeeper) findFailedPods(target *unit, step Step) string {
	return g.pods.findFailure(target, step)
}

func (g gatekeeper) findLackedTransformer(target *unit, _ Step) string {
	return g.contracts.findLackingPod(target)
}

func (g gatekeeper) findRejection(target *unit, _ Step) string {
	return g.judging.findRejection(target)
}

func (g gatekeeper) findFailedCheck(_ *unit, _ Step) string { return g.checks.findFailedCheck() }

// awaitTarget asks for pods that hold the transformers that they need, and before the first
// weight for the checks of them.
func (g gatekeeper) awaitTarget(target *unit, step Step) verdict {
	v := g.pods.awaitPods(target, step)
	if v.isPass() && (target.Weight < step.Weight || !g.contracts.isFrontOpenTo(target)) {
		v = g.contracts.awaitReports(target)
	}
	if !v.isPass() || target.Weight > 0 || step.Weight == 0 {
		return v
	}
	return g.checks.awaitChecks(target, v1.CheckBeforeTraffic)
}

// awaitRoute asks that the gateway has taken the weight.
func (g gatekeeper) awaitRoute(target *unit, step Step) verdict {
	v := g.gateway.checkRoute()
	if !v.isPass() {
		return v.withPrefix("%s is set to %s", titleFor(target), g.traffic.describeStep(target, step.Weight))
	}
	if g.ro.StepStartedAt == nil && g.ro.Mode == v1.RolloutSteps {
		g.ro.StepStartedAt = g.stampNow()
	}
	return passed
}

// awaitChecks asks for the checks of the step, at the end for those after promotion.
func (g gatekeeper) awaitChecks(target *unit, _ Step) verdict {
	if g.isAtEnd() {
		return g.checks.awaitChecks(target, v1.CheckAfterPromotion)
	}
	return g.checks.awaitChecks(target, v1.CheckStep)
}

// awaitPause asks that the pause of the step is over. One without a length lasts
// until a user promotes.
func (g gatekeeper) awaitPause(target *unit, step Step) verdict {
	if g.isAtEnd() {
		return passed
	}
	at := titleFor(target) + " has " + g.traffic.describeStep(target, step.Weight)
	if step.Pause == 0 {
		return waitFor(v1.WaitingForPromotion, "%s until it is promoted; %s", at, g.traffic.nextStep())
	}
	if g.timeLeft(g.ro.StepStartedAt, step.Pause) > 0 {
		return waitFor(v1.WaitingForPause, "%s; %s", at, g.traffic.nextStep()).untilTime(g.deadlineAfter(g.ro.StepStartedAt, step.Pause))
	}
	return passed
}

func (g gatekeeper) awaitAnalysis(target *unit, step Step) verdict {
	return g.judging.awaitAnalysis(target, step)
}
