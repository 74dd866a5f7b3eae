package rollout

import (
	"fmt"

	v1 "gati.dev/gati/api/v1"
)

// startFirst starts the first version: it has all of the traffic, and no steps.
func (m *machine) startFirst() bool {
	d := m.findTemplate(m.in.Declared.Version, m.in.Declared.RevisionNumber)
	m.reviveUnit(d)
	d.Weight = 100
	m.ro.Phase, m.ro.Mode, m.ro.Stable, m.ro.StartedAt = v1.RolloutStarting, "", d.Ref(), m.stampNow()
	m.recordEvent(machineName, "Started", "", titleFor(d), "the first version")
	return true
}

// runStarting waits for the first pod. Until then another version simply takes the
// place of the first: nothing serves that could be harmed.
func (m *machine) runStarting() bool {
	stable := m.findUnit(m.ro.Stable)
	w, seen := m.observedWorkload(stable)
	if seen && w.Ready > 0 || m.in.Policy.Replicas == 0 {
		m.ro.Phase = v1.RolloutStable
		return true
	}
	if wanted, _ := m.findWanted(); seen && !m.sameTemplate(wanted, stable) {
		stable.Weight = 0
		m.ro.Stable, wanted.Weight, m.ro.StartedAt = wanted.Ref(), 100, m.stampNow()
		m.reviveUnit(wanted)
		m.ro.Stable = wanted.Ref()
		m.recordEvent(machineName, "Started", titleFor(stable), titleFor(wanted), "no pod of the version before was ever ready")
		return true
	}
	m.stalled = m.elapsedSince(m.ro.StartedAt) >= m.in.Policy.ProgressDeadline
	m.timeLeft(m.ro.StartedAt, m.in.Policy.ProgressDeadline)
	m.setReason("%s is starting: %d of %d pods ready%s.", titleFor(stable), w.Ready, m.referenceReplicas(), trouble(w))
	return false
}

// runStable keeps all traffic with the stable version until another one is wanted.
func (m *machine) runStable() bool {
	stable := m.findUnit(m.ro.Stable)
	if !m.hasWeights(allTo(stable)) {
		m.holdReference()
		m.ro.Phase = v1.RolloutRollingBack
		return true
	}
	wanted, why := m.findWanted()
	target := wanted
	if m.in.Policy.Strategy == v1.StrategyRollingUpdate {
		if target = m.claimMain(wanted); target == nil {
			return false
		}
	}
	if target == stable {
		m.describeServing(stable, why)
		return false
	}
	if why := m.rejectionFor(target); why != "" && m.ro.Pinned == nil {
		m.describeServing(stable, titleFor(target)+" is not moved to the workload main until the spec changes: "+why)
		return false
	}
	if m.ro.Frozen != nil && m.ro.Pinned == nil {
		m.setReason("%s waits: paused by %s.", titleFor(target), m.ro.Frozen.By)
		return false
	}
	m.beginRollout(target)
	return true
}

func (m *machine) describeServing(stable *unit, why string) {
	w, _ := m.observedWorkload(stable)
	m.setReason("Version %s serves all traffic with %d of %d pods ready.", titleFor(stable), w.Ready, max(w.Wanted, stable.Replicas))
	if why != "" {
		m.notes = append(m.notes, why+".")
	}
	if v := m.checkRoute(false); !v.pass {
		m.notes = append(m.notes, v.sentence)
	}
}

// beginRollout starts a rollout from the stable version to another one.
func (m *machine) beginRollout(target *unit) {
	m.holdReference()
	m.reviveUnit(target)
	m.ro.Phase, m.ro.Target, m.ro.StartedAt = v1.RolloutProgressing, target.Ref(), m.stampNow()
	m.ro.Restarts = m.countRestarts(target)
	m.ro.Step, m.ro.Analysis = 0, nil
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
	m.ro.StepStartedAt, m.ro.ShortSince, m.ro.DownSince, m.ro.RefusedSince, m.ro.MostReady = nil, nil, nil, nil, 0
}

// runProgressing takes the target through its steps.
func (m *machine) runProgressing() bool {
	stable, target := m.findUnit(m.ro.Stable), m.findUnit(m.ro.Target)
	if wanted, why := m.findWanted(); !m.sameTemplate(wanted, target) {
		m.supersedeTarget(target, wanted, why)
		return true
	}
	step := m.rolloutSteps()[m.ro.Step]
	if why := m.findFailure(target, step); why != "" {
		m.failRollout(target, why)
		return true
	}
	goal := weights{stable: 100 - step.Weight, target: step.Weight}
	if m.ro.Frozen != nil {
		m.setReason("Paused by %s: %s has %d %%, %s.", m.ro.Frozen.By, titleFor(target), target.Weight, m.whereTo(step))
		return false
	}
	switch {
	case m.ro.Mode == v1.RolloutWithPods:
		m.moveWeights(goal, true)
	case !m.in.Policy.Gateway && !m.hasWeights(goal):
		m.raiseTarget(goal, stable, target) // The pods are the traffic: gates come after.
	}
	for _, gate := range gates {
		if v := gate(m, target, step); !v.pass {
			m.setReason("%s", v.sentence)
			return false
		}
		// The first gate lets the weight through, the others are about it.
		if !m.hasWeights(goal) && !m.raiseTarget(goal, stable, target) {
			return false
		}
	}
	m.advanceStep(stable, target)
	return true
}

// raiseTarget gives the target the weight of its step.
func (m *machine) raiseTarget(goal weights, stable, target *unit) bool {
	before := target.Weight
	if v := m.checkRoute(true); m.in.Policy.Gateway && before > 0 && goal[target] > before && !v.pass {
		// Promoted, or other steps: still no write ahead of what is accepted.
		m.setReason("%s has %d %%, %d %% is next. %s", titleFor(target), before, goal[target], v.sentence)
		return false
	}
	m.moveWeights(goal, true)
	if target.Weight != before {
		m.recordEvent(machineName, "Step", share(titleFor(target), before), share(titleFor(target), target.Weight), fmt.Sprintf("%d of %d pods ready", m.readyPods(target), m.neededReplicas(goal[target])))
		m.exposeWeights()
	}
	if !m.hasWeights(goal) {
		m.setReason("%s has %d %% instead of %d %%: %s has %d of %d pods ready.", titleFor(target), target.Weight, goal[target], titleFor(stable), m.readyPods(stable), m.referenceReplicas())
		return false
	}
	return true
}

// advanceStep goes to the next step, or ends the rollout after the last.
func (m *machine) advanceStep(stable, target *unit) {
	if int(m.ro.Step) < len(m.rolloutSteps())-1 {
		m.ro.Step++
		m.resetStep()
		if a := m.in.Policy.Analysis; a != nil && a.PerStep {
			m.ro.Analysis = nil
		}
		return
	}
	m.completeRollout(stable, target)
}

// completeRollout makes the target stable. What was stable keeps its pods for the
// rollback window.
func (m *machine) completeRollout(stable, target *unit) {
	stable.SupersededAt = m.stampNow()
	target.SupersededAt = nil
	if !m.sameTemplate(stable, target) {
		m.ro.Previous = m.ro.Stable
	}
	m.ro.Stable, m.ro.Target = target.Ref(), nil
	m.ro.Phase, m.ro.Mode, m.ro.Step = v1.RolloutStable, "", 0
	m.resetStep()
	why := "all traffic is accepted"
	if !m.in.Policy.Gateway {
		why = "all pods are ready"
	}
	m.recordEvent(machineName, "Completed", titleFor(stable), titleFor(target), why)
}

// supersedeTarget takes a rollout back because another version is wanted now.
func (m *machine) supersedeTarget(target, wanted *unit, why string) {
	if why == "" {
		why = titleFor(wanted) + " is declared now"
	}
	m.startRollback(target, machineName, "Superseded", why)
}

// failRollout ends a rollout that a gate has failed.
func (m *machine) failRollout(target *unit, why string) {
	if !m.in.Policy.AutoRollback {
		m.ro.Phase, m.ro.Failure = v1.RolloutFailed, why
		m.recordWarning(machineName, "Failed", share(titleFor(target), target.Weight), "", why)
		return
	}
	m.rejectUnit(target.Ref(), why)
	m.startRollback(target, machineName, "RolledBack", why)
}

// runFailed waits for somebody to act.
func (m *machine) runFailed() bool {
	target := m.findUnit(m.ro.Target)
	if wanted, why := m.findWanted(); !m.sameTemplate(wanted, target) {
		m.supersedeTarget(target, wanted, why)
		return true
	}
	m.stalled = true
	m.setReason("%s failed at %d %%: %s; autoRollback is off, so it stays until it is promoted, aborted or rolled back.", titleFor(target), target.Weight, m.ro.Failure)
	return false
}

// startRollback gives the stable version its traffic again.
func (m *machine) startRollback(target *unit, by, what, why string) {
	stable := m.findUnit(m.ro.Stable)
	from := target.Weight
	m.ro.Phase, m.ro.Mode, m.ro.Target, m.ro.Step, m.ro.Failure = v1.RolloutRollingBack, "", nil, 0, ""
	m.resetStep()
	m.holdReference()
	m.recordWarning(by, what, share(titleFor(target), from), share(titleFor(stable), 100), why)
}

// runRollingBack moves traffic to the stable version as fast as its pods are ready. It
// never waits for the gateway before it writes.
func (m *machine) runRollingBack() bool {
	stable := m.findUnit(m.ro.Stable)
	goal := allTo(stable)
	m.moveWeights(goal, true)
	m.exposeWeights()
	v := m.checkRoute(true)
	restored := m.hasWeights(goal) && (v.pass || m.ro.Pinned != nil)
	stuck := !m.hasWeights(goal) || !m.in.Policy.Gateway && !restored
	if wanted, _ := m.findWanted(); stuck && m.ro.Frozen == nil && !m.sameTemplate(wanted, stable) && m.isDown(stable) && m.in.Policy.Strategy == v1.StrategyCanary {
		m.beginRollout(wanted) // There is nothing to go back to, and so no use for steps.
		m.ro.Mode = v1.RolloutWithPods
		return true
	}
	switch {
	case !m.hasWeights(goal):
		m.setReason("%s gets its traffic back: %d %% so far, with %d of %d pods ready.", titleFor(stable), stable.Weight, m.readyPods(stable), m.referenceReplicas())
		m.lookAgainIn(retryInterval)
		return false
	case !restored:
		m.setReason("%s has its traffic back. %s", titleFor(stable), v.sentence)
		return false
	}
	m.ro.Phase = v1.RolloutStable
	return true
}

// isDown tells that a unit should have pods, and none is ready.
func (m *machine) isDown(u *unit) bool {
	w, seen := m.observedWorkload(u)
	return seen && w.Ready == 0 && m.referenceReplicas() > 0
}

func (m *machine) sameTemplate(a, b *unit) bool {
	return a != nil && b != nil && same(a, b.Version, b.RevisionNumber)
}

func share(what string, weight int32) string { return fmt.Sprintf("%s %d %%", what, weight) }
