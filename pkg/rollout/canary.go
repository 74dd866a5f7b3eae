package rollout

import (
	"fmt"

	v1 "gati.dev/gati/api/v1"
)

// first starts the first version: it has all of the traffic, and no steps.
func (m *machine) first() bool {
	d := m.known(m.in.Declared.Version, m.in.Declared.RevisionNumber)
	m.revive(d)
	d.Weight = 100
	m.ro.Phase, m.ro.Mode, m.ro.Stable, m.ro.StartedAt = v1.RolloutStarting, "", refOf(d), m.stamp()
	m.tell(machineName, "Started", "", name(d), "the first version")
	return true
}

// starting waits for the first pod. Until then another version simply takes the
// place of the first: nothing serves that could be harmed.
func (m *machine) starting() bool {
	stable := m.find(m.ro.Stable)
	w, seen := m.seen(stable)
	if seen && w.Ready > 0 || m.in.Policy.Replicas == 0 {
		m.ro.Phase = v1.RolloutStable
		return true
	}
	if wanted, _ := m.wanted(); seen && !m.isTemplate(wanted, stable) {
		stable.Weight = 0
		m.ro.Stable, wanted.Weight, m.ro.StartedAt = refOf(wanted), 100, m.stamp()
		m.revive(wanted)
		m.ro.Stable = refOf(wanted)
		m.tell(machineName, "Started", name(stable), name(wanted), "no pod of the version before was ever ready")
		return true
	}
	m.stalled = m.elapsed(m.ro.StartedAt) >= m.in.Policy.ProgressDeadline
	m.left(m.ro.StartedAt, m.in.Policy.ProgressDeadline)
	m.say("%s is starting: %d of %d pods ready%s.", name(stable), w.Ready, m.reference(), trouble(w))
	return false
}

// rest keeps all traffic with the stable version until another one is wanted.
func (m *machine) rest() bool {
	stable := m.find(m.ro.Stable)
	if !m.reached(allTo(stable)) {
		m.hold()
		m.ro.Phase = v1.RolloutRollingBack
		return true
	}
	wanted, why := m.wanted()
	target := wanted
	if m.in.Policy.Strategy == v1.StrategyRollingUpdate {
		if target = m.inMain(wanted); target == nil {
			return false
		}
	}
	if target == stable {
		m.sayServing(stable, why)
		return false
	}
	if why := m.rejected(target); why != "" && m.ro.Pinned == nil {
		m.sayServing(stable, name(target)+" is not moved to the workload main until the spec changes: "+why)
		return false
	}
	if m.ro.Frozen != nil && m.ro.Pinned == nil {
		m.say("%s waits: paused by %s.", name(target), m.ro.Frozen.By)
		return false
	}
	m.begin(target)
	return true
}

func (m *machine) sayServing(stable *unit, why string) {
	w, _ := m.seen(stable)
	m.say("Version %s serves all traffic with %d of %d pods ready.", name(stable), w.Ready, max(w.Wanted, stable.Replicas))
	if why != "" {
		m.notes = append(m.notes, why+".")
	}
	if v := m.route(false); !v.pass {
		m.notes = append(m.notes, v.sentence)
	}
}

// begin starts a rollout from the stable version to another one.
func (m *machine) begin(target *unit) {
	m.hold()
	m.revive(target)
	m.ro.Phase, m.ro.Target, m.ro.StartedAt = v1.RolloutProgressing, refOf(target), m.stamp()
	m.ro.Restarts = m.restarts(target)
	m.ro.Step, m.ro.Analysis = 0, nil
	m.fresh()
	switch {
	case m.ro.Pinned != nil:
		m.ro.Mode = v1.RolloutWithPods
	case m.in.Policy.Strategy == v1.StrategyRollingUpdate:
		m.ro.Mode = v1.RolloutAtOnce
	default:
		m.ro.Mode = v1.RolloutSteps
	}
	m.tell(machineName, "Started", name(m.find(m.ro.Stable)), name(target), "")
}

// fresh forgets what was noted about the step before.
func (m *machine) fresh() {
	m.ro.StepStartedAt, m.ro.ShortSince, m.ro.DownSince, m.ro.RefusedSince, m.ro.MostReady = nil, nil, nil, nil, 0
}

// progress takes the target through its steps.
func (m *machine) progress() bool {
	stable, target := m.find(m.ro.Stable), m.find(m.ro.Target)
	if wanted, why := m.wanted(); !m.isTemplate(wanted, target) {
		m.supersede(target, wanted, why)
		return true
	}
	step := m.steps()[m.ro.Step]
	if why := m.failure(target, step); why != "" {
		m.fail(target, why)
		return true
	}
	goal := weights{stable: 100 - step.Weight, target: step.Weight}
	if m.ro.Frozen != nil {
		m.say("Paused by %s: %s has %d %%, %s.", m.ro.Frozen.By, name(target), target.Weight, m.whereTo(step))
		return false
	}
	switch {
	case m.ro.Mode == v1.RolloutWithPods:
		m.move(goal, true)
	case !m.in.Policy.Gateway && !m.reached(goal):
		m.raise(goal, stable, target) // The pods are the traffic: gates come after.
	}
	for _, gate := range gates {
		if v := gate(m, target, step); !v.pass {
			m.say("%s", v.sentence)
			return false
		}
		// The first gate lets the weight through, the others are about it.
		if !m.reached(goal) && !m.raise(goal, stable, target) {
			return false
		}
	}
	m.advance(stable, target)
	return true
}

// raise gives the target the weight of its step.
func (m *machine) raise(goal weights, stable, target *unit) bool {
	before := target.Weight
	if v := m.route(true); m.in.Policy.Gateway && before > 0 && goal[target] > before && !v.pass {
		// Promoted, or other steps: still no write ahead of what is accepted.
		m.say("%s has %d %%, %d %% is next. %s", name(target), before, goal[target], v.sentence)
		return false
	}
	m.move(goal, true)
	if target.Weight != before {
		m.tell(machineName, "Step", share(name(target), before), share(name(target), target.Weight), fmt.Sprintf("%d of %d pods ready", m.ready(target), m.needed(goal[target])))
		m.expose()
	}
	if !m.reached(goal) {
		m.say("%s has %d %% instead of %d %%: %s has %d of %d pods ready.", name(target), target.Weight, goal[target], name(stable), m.ready(stable), m.reference())
		return false
	}
	return true
}

// advance goes to the next step, or ends the rollout after the last.
func (m *machine) advance(stable, target *unit) {
	if int(m.ro.Step) < len(m.steps())-1 {
		m.ro.Step++
		m.fresh()
		if a := m.in.Policy.Analysis; a != nil && a.PerStep {
			m.ro.Analysis = nil
		}
		return
	}
	m.complete(stable, target)
}

// complete makes the target stable. What was stable keeps its pods for the
// rollback window.
func (m *machine) complete(stable, target *unit) {
	stable.SupersededAt = m.stamp()
	target.SupersededAt = nil
	if !m.isTemplate(stable, target) {
		m.ro.Previous = m.ro.Stable
	}
	m.ro.Stable, m.ro.Target = refOf(target), nil
	m.ro.Phase, m.ro.Mode, m.ro.Step = v1.RolloutStable, "", 0
	m.fresh()
	why := "all traffic is accepted"
	if !m.in.Policy.Gateway {
		why = "all pods are ready"
	}
	m.tell(machineName, "Completed", name(stable), name(target), why)
}

// supersede takes a rollout back because another version is wanted now.
func (m *machine) supersede(target, wanted *unit, why string) {
	if why == "" {
		why = name(wanted) + " is declared now"
	}
	m.back(target, machineName, "Superseded", why)
}

// fail ends a rollout that a gate has failed.
func (m *machine) fail(target *unit, why string) {
	if !m.in.Policy.AutoRollback {
		m.ro.Phase, m.ro.Failure = v1.RolloutFailed, why
		m.warn(machineName, "Failed", share(name(target), target.Weight), "", why)
		return
	}
	m.reject(refOf(target), why)
	m.back(target, machineName, "RolledBack", why)
}

// failed waits for somebody to act.
func (m *machine) failed() bool {
	target := m.find(m.ro.Target)
	if wanted, why := m.wanted(); !m.isTemplate(wanted, target) {
		m.supersede(target, wanted, why)
		return true
	}
	m.stalled = true
	m.say("%s failed at %d %%: %s; autoRollback is off, so it stays until it is promoted, aborted or rolled back.", name(target), target.Weight, m.ro.Failure)
	return false
}

// back gives the stable version its traffic again.
func (m *machine) back(target *unit, by, what, why string) {
	stable := m.find(m.ro.Stable)
	from := target.Weight
	m.ro.Phase, m.ro.Mode, m.ro.Target, m.ro.Step, m.ro.Failure = v1.RolloutRollingBack, "", nil, 0, ""
	m.fresh()
	m.hold()
	m.warn(by, what, share(name(target), from), share(name(stable), 100), why)
}

// retreat moves traffic to the stable version as fast as its pods are ready. It
// never waits for the gateway before it writes.
func (m *machine) retreat() bool {
	stable := m.find(m.ro.Stable)
	goal := allTo(stable)
	m.move(goal, true)
	m.expose()
	v := m.route(true)
	restored := m.reached(goal) && (v.pass || m.ro.Pinned != nil)
	stuck := !m.reached(goal) || !m.in.Policy.Gateway && !restored
	if wanted, _ := m.wanted(); stuck && m.ro.Frozen == nil && !m.isTemplate(wanted, stable) && m.isDown(stable) && m.in.Policy.Strategy == v1.StrategyCanary {
		m.begin(wanted) // There is nothing to go back to, and so no use for steps.
		m.ro.Mode = v1.RolloutWithPods
		return true
	}
	switch {
	case !m.reached(goal):
		m.say("%s gets its traffic back: %d %% so far, with %d of %d pods ready.", name(stable), stable.Weight, m.ready(stable), m.reference())
		m.again(lookAgain)
		return false
	case !restored:
		m.say("%s has its traffic back. %s", name(stable), v.sentence)
		return false
	}
	m.ro.Phase = v1.RolloutStable
	return true
}

// isDown tells that a unit should have pods, and none is ready.
func (m *machine) isDown(u *unit) bool {
	w, seen := m.seen(u)
	return seen && w.Ready == 0 && m.reference() > 0
}

func (m *machine) isTemplate(a, b *unit) bool {
	return a != nil && b != nil && same(a, b.Version, b.RevisionNumber)
}

func share(what string, weight int32) string { return fmt.Sprintf("%s %d %%", what, weight) }
