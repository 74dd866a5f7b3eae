package rollout

import (
	"fmt"

	v1 "gati.dev/gati/api/v1"
)

// chooseMode returns how a rollout moves the weights.
func (r *roster) chooseMode() v1.RolloutMode {
	switch {
	case r.ro.Pinned != nil:
		return v1.RolloutWithPods
	case r.policy.Strategy == v1.StrategyRollingUpdate:
		return v1.RolloutAtOnce
	default:
		return v1.RolloutSteps
	}
}

// keepsTarget reports whether a changed spec goes on with the running rollout, by its own
// steps or without any.
func (r *roster) keepsTarget() bool {
	switch r.ro.Mode {
	case v1.RolloutSteps:
		return !r.isManual()
	case v1.RolloutAtOnce:
		return !r.isManual() && r.isRollingOut() && !r.ro.Target.SameTemplate(r.ro.Stable)
	default:
		return false
	}
}

// resumeSteps goes on with a target at the weight that it has: at the step of that weight, or
// without steps where the strategy has none.
func (m *machine) resumeSteps(target *unit) {
	m.ro.Mode = m.chooseMode()
	m.ro.Step, m.ro.StepStartedAt = stepAt(m.rolloutSteps(), target.Weight), nil
}

// adoptShare makes the declared version, which has a share of the traffic, the target of a
// rollout. Stable is the version with the most traffic beside it.
func (m *machine) adoptShare(d *unit) {
	m.ro.Stable = m.findServingBeside(d).Ref()
	m.takeTarget(d.Ref(), m.chooseMode())
	m.resumeSteps(d)
}

// runProgressing takes the target through its steps.
func (m *machine) runProgressing() bool {
	stable, target := m.findUnit(m.ro.Stable), m.findUnit(m.ro.Target)
	if wanted, hold := m.candidates.findWanted(); !sameTemplate(wanted, target) {
		m.supersedeTarget(target, wanted, hold)
		return true
	}
	step := m.currentStep()
	if why := m.gatekeeper.findFailure(target, step); why != "" {
		m.failRollout(m.ro.Stable, why)
		return true
	}
	if why := m.pods.findInterruption(target, step); why != "" {
		m.startRollback(target, machineName, "Interrupted", why)
		return true
	}
	if m.ro.Frozen != nil {
		m.waitFor(waitFor(v1.WaitingForResume, "%s", m.traffic.pausedAt(target)))
		return false
	}
	if m.in.HasFaults {
		m.waitFor(waitFor(v1.WaitingForSpecChange, "%s has %s until the spec can be applied", titleFor(target), m.traffic.describeShare(target, target.Weight)))
		return false
	}
	if why := m.pods.findLoss(stable, target); why != "" {
		m.takeTarget(target.Ref(), v1.RolloutWithPods) // There is nothing to go back to, and so no use for steps.
		m.recordWarning(machineName, "Started", stable.Ref().Title(), target.Ref().Title(), why)
		return true
	}
	v, before := m.planSteps(stable, target), target.Weight
	if v.isPass() {
		v = m.passGates(stable, target, m.currentStep())
	}
	if target.Weight != before {
		return true // A version is down, or lost, by the weights that it has now.
	}
	if !v.isPass() {
		m.waitFor(v)
		return false
	}
	m.advanceStep()
	return true
}

// passGates moves the weight that the step asks for and asks the gates about it.
func (m *machine) passGates(stable, target *unit, step Step) verdict {
	goal := weights{stable: 100 - step.Weight, target: step.Weight}
	switch {
	case m.ro.Mode == v1.RolloutWithPods && m.in.Policy.Gateway && !m.contracts.awaitReports(target).isPass():
		// Its pods may break the callers that it would get.
	case m.ro.Mode == v1.RolloutWithPods:
		m.moveWeights(goal, true)
	case !m.in.Policy.Gateway && !m.hasWeights(goal):
		m.raiseTarget(goal, stable, target) // The pods are the traffic: gates come after.
	}
	for _, gate := range gates {
		if v := gate(m.gatekeeper, target, step); !v.isPass() {
			return v
		}
		// The first gate lets the weight through, the others are about it.
		if m.hasWeights(goal) {
			continue
		}
		if v := m.raiseTarget(goal, stable, target); !v.isPass() {
			return v
		}
	}
	return passed
}

// raiseTarget gives the target the weight of its step.
func (m *machine) raiseTarget(goal weights, stable, target *unit) verdict {
	before := target.Weight
	if v := m.gateway.checkRoute(); m.in.Policy.Gateway && before > 0 && goal[target] > before && !v.isPass() {
		// Promoted, or other steps: still no weight is written before the last is accepted.
		return v.withPrefix("%s has %d %%, %d %% is next", titleFor(target), before, goal[target])
	}
	m.moveWeights(goal, true)
	if target.Weight != before {
		m.recordEvent(machineName, "Step", titleFor(target)+" "+m.traffic.describeShare(target, before), titleFor(target)+" "+m.traffic.describeShare(target, target.Weight), m.traffic.describeRaise(target, goal[target]))
		m.gateway.exposeWeights()
	}
	if !m.hasWeights(goal) {
		return waitFor(v1.WaitingForPods, "%s has %d %% instead of %d %%: %s has %d of %d pods ready", titleFor(target), target.Weight, goal[target], titleFor(stable), m.readyPods(stable), m.referenceReplicas())
	}
	return passed
}

// advanceStep goes to the next step, or ends the rollout after the last.
func (m *machine) advanceStep() {
	if m.isAtEnd() {
		why := "all traffic is accepted"
		if !m.in.Policy.Gateway {
			why = "all pods are ready"
		}
		m.completeRollout(m.ro.Stable, why)
		return
	}
	m.ro.Step++
	m.beginStep()
	if a := m.in.Policy.Analysis; a != nil && a.PerStep {
		m.judging.resetAnalysis(true)
	}
}

// supersedeTarget takes a rollout back because another version is wanted now.
func (m *machine) supersedeTarget(target, wanted *unit, hold verdict) {
	why := titleFor(wanted) + " is declared now"
	if !hold.isPass() {
		why = hold.waiting.Message
	}
	m.startRollback(target, machineName, "Superseded", why)
}

// runFailed waits for a user to act.
func (m *machine) runFailed() bool {
	target := m.findUnit(m.ro.Target)
	if wanted, hold := m.candidates.findWanted(); !sameTemplate(wanted, target) {
		m.supersedeTarget(target, wanted, hold)
		return true
	}
	m.stalled = true
	m.waitFor(waitFor(v1.WaitingForAction, "%s failed at %s: %s; autoRollback is off: retry, promote, abort or roll back", titleFor(target), m.traffic.describeShare(target, target.Weight), m.ro.Failure))
	return false
}

func describeShare(what string, weight int32) string { return fmt.Sprintf("%s %d %%", what, weight) }
