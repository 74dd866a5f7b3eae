package rollout

import (
	v1 "gati.dev/gati/api/v1"
)

// mostTurns bounds how often one decision may move on: each turn ends a step or a
// phase, and there are at most 20 steps.
const mostTurns = 32

// Next decides. The same input leads to the same decision, and a second look at
// what a decision left decides the same.
func Next(in Input) Decision {
	m, decidable := prepared(in)
	if !decidable {
		return Decision{State: in.State, Undecided: true, Reason: m.reason, After: lookAgain}
	}
	m.answer()
	if !m.inPlace() {
		m.turn()
	}
	if m.inPlace() {
		m.rolling()
	}
	return m.decision()
}

// turn lets the phases act until none has more to do.
func (m *machine) turn() {
	m.mend()
	for range mostTurns {
		m.declare()
		phase := phases[m.ro.Phase]
		if m.manual() {
			phase = (*machine).byRecords
		}
		if !phase(m) {
			return
		}
		m.expose()
	}
}

// phases say what each phase does. They return whether there is more to do now.
var phases map[v1.RolloutPhase]func(*machine) bool

func init() {
	phases = map[v1.RolloutPhase]func(*machine) bool{
		"":                    (*machine).first,
		v1.RolloutStarting:    (*machine).starting,
		v1.RolloutStable:      (*machine).rest,
		v1.RolloutProgressing: (*machine).progress,
		v1.RolloutRollingBack: (*machine).retreat,
		v1.RolloutFailed:      (*machine).failed,
	}
}

// decision gathers what the machine has come to.
func (m *machine) decision() Decision {
	m.settle()
	d := Decision{
		State:  State{Versions: m.versions(), Rollout: &m.ro},
		Front:  m.front(),
		Reason: m.reason, Stalled: m.stalled, Notes: m.notes,
		Events: m.events, After: m.after, Unmeasured: m.unmeasured,
	}
	pinned, unpinned := m.pins()
	d.Unpinned = unpinned
	for _, u := range m.units {
		switch {
		case m.beingReplaced(u):
			// Its pods are being replaced: the workload is another's already.
		case live(u):
			d.Workloads = append(d.Workloads, m.plan(u, pinned))
		case u.Workload != "":
			d.Delete = append(d.Delete, u.Workload)
		}
	}
	return d
}

// plan returns what the workload of a unit should be.
func (m *machine) plan(u *unit, pinned map[*unit]bool) WorkloadPlan {
	every, judged := m.measureEvery(u)
	return WorkloadPlan{
		MeasureEvery: every, Judged: judged,
		Workload: u.Workload, Unit: Unit{u.Version, u.Revision, u.RevisionNumber},
		Weight: u.Weight, Replicas: u.Replicas,
		Exact:  !m.in.Policy.Autoscaled || !m.in.Policy.Gateway && m.ro.ReferenceReplicas != nil,
		Pinned: pinned[u], Paused: m.ro.Frozen != nil && m.ro.Mode == v1.RolloutInPlace && m.ro.Phase == v1.RolloutProgressing,
		RestartedAt: u.RestartedAt,
	}
}

// front returns the workload that the front Service selects.
func (m *machine) front() string {
	if m.ro.Mode == v1.RolloutInPlace {
		return v1.WorkloadMain // Whichever template of whichever version it runs.
	}
	if s := m.find(m.ro.Stable); s != nil && m.in.Policy.Gateway {
		return s.Workload
	}
	return ""
}
