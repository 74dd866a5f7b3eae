package rollout

import (
	"fmt"

	v1 "gati.dev/gati/api/v1"
)

// beginRollout starts a rollout from the stable version to another one.
func (m *machine) beginRollout(target *unit) {
	m.capacity.holdReference()
	reviveUnit(target)
	m.setPhase(v1.RolloutProgressing)
	m.ro.Target, m.ro.StartedAt = target.Ref(), m.stampNow()
	m.startRestarts(target)
	m.ro.Step, m.ro.Analysis, m.ro.Checks = 0, nil, nil
	m.resetStep()
	switch {
	case m.ro.Pinned != nil:
		m.ro.Mode = v1.RolloutWithPods
	case m.in.Policy.Strategy == v1.StrategyRollingUpdate:
		m.ro.Mode = v1.RolloutAtOnce
	default:
		m.ro.Mode = v1.RolloutSteps
	}
	m.recordEvent(machineName, "Started", titleFor(m.findUnit(m.ro.Stable)), titleFor(target), "")
}

// resetStep forgets what was noted about the step before.
func (m *machine) resetStep() {
	m.ro.StepStartedAt, m.ro.ShortSince, m.ro.ObstructedSince, m.ro.DownSince, m.ro.MostReady = nil, nil, nil, nil, 0
}

// runProgressing takes the target through its steps.
func (m *machine) runProgressing() bool {
	stable, target := m.findUnit(m.ro.Stable), m.findUnit(m.ro.Target)
	if wanted, hold := m.findWanted(); !m.sameTemplate(wanted, target) {
		m.supersedeTarget(target, wanted, hold)
		return true
	}
	step := m.rolloutSteps()[m.ro.Step]
	if why := m.findFailure(target, step); why != "" {
		m.failRollout(target, why)
		return true
	}
	if why := m.findInterruption(target, step); why != "" {
		m.startRollback(target, machineName, "Interrupted", why)
		return true
	}
	if m.ro.Frozen != nil {
		m.waitFor(wait(v1.WaitingForResume, "%s", m.traffic.pausedAt(target)))
		return false
	}
	if v := m.passGates(stable, target, step); !v.pass() {
		m.waitFor(v)
		return false
	}
	m.advanceStep(stable, target)
	return true
}

// passGates moves the weight that the step asks for and asks the gates about it.
func (m *machine) passGates(stable, target *unit, step Step) verdict {
	goal := weights{stable: 100 - step.Weight, target: step.Weight}
	switch {
	case m.ro.Mode == v1.RolloutWithPods && m.in.Policy.Gateway && !m.contracts.awaitReports(target).pass():
		// Its pods may break the callers that it would get.
	case m.ro.Mode == v1.RolloutWithPods:
		m.moveWeights(goal, true)
	case !m.in.Policy.Gateway && !m.hasWeights(goal):
		m.raiseTarget(goal, stable, target) // The pods are the traffic: gates come after.
	}
	for _, gate := range gates {
		if v := gate(m, target, step); !v.pass() {
			return v
		}
		// The first gate lets the weight through, the others are about it.
		if m.hasWeights(goal) {
			continue
		}
		if v := m.raiseTarget(goal, stable, target); !v.pass() {
			return v
		}
	}
	return passed
}

// raiseTarget gives the target the weight of its step.
func (m *machine) raiseTarget(goal weights, stable, target *unit) verdict {
	before := target.Weight
	if v := m.gateway.checkRoute(true); m.in.Policy.Gateway && before > 0 && goal[target] > before && !v.pass() {
		// Promoted, or other steps: still no weight is written before the last is accepted.
		return v.after("%s has %d %%, %d %% is next", titleFor(target), before, goal[target])
	}
	m.moveWeights(goal, true)
	if target.Weight != before {
		m.recordEvent(machineName, "Step", titleFor(target)+" "+m.traffic.describeShare(target, before), titleFor(target)+" "+m.traffic.describeShare(target, target.Weight), m.traffic.describeRaise(target, goal[target]))
		m.gateway.exposeWeights()
	}
	if !m.hasWeights(goal) {
		return wait(v1.WaitingForPods, "%s has %d %% instead of %d %%: %s has %d of %d pods ready", titleFor(target), target.Weight, goal[target], titleFor(stable), m.readyPods(stable), m.referenceReplicas())
	}
	return passed
}

// advanceStep goes to the next step, or ends the rollout after the last.
func (m *machine) advanceStep(stable, target *unit) {
	if m.isAtEnd() {
		m.completeRollout(stable, target)
		return
	}
	m.ro.Step++
	m.resetStep()
	if a := m.in.Policy.Analysis; a != nil && a.PerStep {
		m.resetAnalysis(true)
	}
}

// completeRollout makes the target stable. What was stable keeps its pods for the
// rollback window.
func (m *machine) completeRollout(stable, target *unit) {
	stable.SupersededAt = m.stampNow()
	target.SupersededAt = nil
	if !m.sameTemplate(stable, target) {
		m.ro.Previous = m.ro.Stable
	}
	m.setPhase(v1.RolloutStable)
	m.ro.Stable, m.ro.Target, m.ro.Mode, m.ro.Step = target.Ref(), nil, "", 0
	m.resetStep()
	why := "all traffic is accepted"
	if !m.in.Policy.Gateway {
		why = "all pods are ready"
	}
	m.recordEvent(machineName, "Completed", titleFor(stable), titleFor(target), why)
}

// supersedeTarget takes a rollout back because another version is wanted now.
func (m *machine) supersedeTarget(target, wanted *unit, hold verdict) {
	why := titleFor(wanted) + " is declared now"
	if !hold.pass() {
		why = hold.waiting.Message
	}
	m.startRollback(target, machineName, "Superseded", why)
}

// failRollout ends a rollout that a gate has failed.
func (m *machine) failRollout(target *unit, why string) {
	if !m.in.Policy.AutoRollback {
		m.setPhase(v1.RolloutFailed)
		m.ro.Failure = why
		m.recordWarning(machineName, "Failed", titleFor(target)+" "+m.traffic.describeShare(target, target.Weight), "", why)
		return
	}
	m.rejectUnit(target.Ref(), why)
	m.startRollback(target, machineName, "RolledBack", why)
}

// runFailed waits for a user to act.
func (m *machine) runFailed() bool {
	target := m.findUnit(m.ro.Target)
	if wanted, hold := m.findWanted(); !m.sameTemplate(wanted, target) {
		m.supersedeTarget(target, wanted, hold)
		return true
	}
	m.stalled = true
	m.waitFor(wait(v1.WaitingForAction, "%s failed at %s: %s; autoRollback is off: retry, promote, abort or roll back", titleFor(target), m.traffic.describeShare(target, target.Weight), m.ro.Failure))
	return false
}

func (m *machine) sameTemplate(a, b *unit) bool {
	return a != nil && b != nil && same(a, b.Version, b.RevisionNumber)
}

func share(what string, weight int32) string { return fmt.Sprintf("%s %d %%", what, weight) }
