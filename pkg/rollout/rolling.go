package rollout

import (
	"fmt"

	v1 "gati.dev/gati/api/v1"
)

// inPlace tells that the strategy RollingUpdate runs in its one workload, and no
// other has traffic any more.
func (m *machine) inPlace() bool {
	if m.in.Policy.Strategy != v1.StrategyRollingUpdate {
		return false
	}
	for _, u := range m.units {
		if live(u) && u.Workload != v1.WorkloadMain && (u.Weight > 0 || u.ExposedWeight > 0 || m.is(u, m.ro.Target)) {
			return false
		}
	}
	if s := m.find(m.ro.Stable); s != nil && s.Workload != v1.WorkloadMain {
		return false
	}
	return m.find(m.ro.Target) == nil || m.ro.Mode == v1.RolloutInPlace
}

// rolling replaces the pods of the one workload: the unit to run has all of the
// traffic, and one before it is over once no pod of it is left.
func (m *machine) rolling() {
	m.ro.Mode = v1.RolloutInPlace
	seen := m.in.Workloads[v1.WorkloadMain]
	run, why := m.toRun()
	current := m.ro.Target
	if current == nil {
		current = m.ro.Stable
	}
	if current == nil || !sameRef(current, run) {
		m.replaceInPlace(current, run)
	}
	if seen.Unit.Revision != "" && seen.Unit.Revision != run.Revision {
		seen.Updated, seen.Complete = 0, false // It speaks of the template before.
	}
	complete := seen.Complete
	if complete && m.ro.Phase != v1.RolloutStable {
		m.doneInPlace()
	}
	if m.ro.Phase == v1.RolloutStable {
		m.ro.ReferenceReplicas = nil
	}
	own := m.own(run)
	for _, u := range m.units {
		switch {
		case u == own:
			m.activate(u, run)
		case u.Workload == v1.WorkloadMain || u.Workload == "":
			supersedeInPlace(u, complete)
		default:
			u.Weight = 0
		}
	}
	m.say("%s", Sentence("Version "+run.Version, seen.Observation))
	if why != "" {
		m.notes = append(m.notes, why+".")
	}
	if f := m.ro.Frozen; f != nil {
		m.notes = append(m.notes, "Paused by "+f.By+".")
	}
}

// toRun returns what the workload should run, and why it is not what is declared
// where it is another.
func (m *machine) toRun() (*v1.UnitRef, string) {
	d := m.in.Declared
	run := &v1.UnitRef{Version: d.Version, RevisionNumber: d.RevisionNumber, Revision: d.Revision, Workload: v1.WorkloadMain}
	running := m.ro.Target
	if running == nil {
		running = m.ro.Stable
	}
	var why string
	switch p := m.ro.Pinned; {
	case p != nil:
		run, why = &v1.UnitRef{Version: p.Version, RevisionNumber: p.RevisionNumber, Revision: p.Revision}, "Rolled back by "+p.By+" until the spec changes"
	case m.ro.Stable == nil || sameRef(m.ro.Stable, run):
	case m.rejectedRef(run) != "":
		why = title(run.Version, run.RevisionNumber) + " is not tried again until the spec changes: " + m.rejectedRef(run)
		run = m.ro.Stable
	case m.held(run.Version) != "":
		why = title(run.Version, run.RevisionNumber) + " is not rolled out: " + m.held(run.Version)
		run = m.ro.Stable
	}
	if m.ro.Frozen != nil && running != nil && !sameRef(running, run) {
		run, why = running, title(run.Version, run.RevisionNumber)+" waits until the handler is resumed"
	}
	run = run.DeepCopy()
	run.Workload = v1.WorkloadMain
	return run, why
}

func sameRef(a, b *v1.UnitRef) bool {
	return a != nil && b != nil && a.Version == b.Version && a.RevisionNumber == b.RevisionNumber
}

// replaceInPlace begins to replace the pods.
func (m *machine) replaceInPlace(current, run *v1.UnitRef) {
	if current == nil {
		m.ro.Phase, m.ro.Stable, m.ro.StartedAt = v1.RolloutStarting, run, m.stamp()
		m.tell(machineName, "Started", "", title(run.Version, run.RevisionNumber), "the first version")
		return
	}
	m.tell(machineName, "Started", title(current.Version, current.RevisionNumber), title(run.Version, run.RevisionNumber), "")
	m.ro.StartedAt = m.stamp()
	if m.ro.Phase == v1.RolloutStarting || sameRef(run, m.ro.Stable) {
		m.ro.Stable, m.ro.Target = run, nil
		if m.ro.Phase != v1.RolloutStarting {
			m.ro.Phase = v1.RolloutRollingBack
		}
	} else {
		m.ro.Phase, m.ro.Target = v1.RolloutProgressing, run
	}
}

// own returns the unit that runs in place: that of the version, whatever template
// it had. It makes one where there is none.
func (m *machine) own(run *v1.UnitRef) *unit {
	var own *unit
	rank := func(u *unit) int {
		switch {
		case u.Workload == v1.WorkloadMain && u.Weight > 0:
			return 3
		case u.Workload == v1.WorkloadMain:
			return 2
		case u.RevisionNumber == run.RevisionNumber:
			return 1
		default:
			return 0
		}
	}
	for _, u := range m.units {
		here := u.Workload == v1.WorkloadMain || u.Workload == ""
		if u.Version == run.Version && here && (own == nil || rank(u) > rank(own)) {
			own = u
		}
	}
	if own == nil {
		own = m.add(Unit{Version: run.Version, Revision: run.Revision, RevisionNumber: run.RevisionNumber})
	}
	return own
}

// doneInPlace ends a replacement: every pod runs the new template.
func (m *machine) doneInPlace() {
	if m.ro.Target != nil {
		m.ro.Previous, m.ro.Stable, m.ro.Target = m.ro.Stable, m.ro.Target, nil
		m.tell(machineName, "Completed", title(m.ro.Previous.Version, m.ro.Previous.RevisionNumber), title(m.ro.Stable.Version, m.ro.Stable.RevisionNumber), "every pod runs it")
	}
	m.ro.Phase = v1.RolloutStable
}

func (m *machine) activate(u *unit, run *v1.UnitRef) {
	if u.Phase != v1.VersionActive {
		u.DecommissionedBy, u.DrainingSince, u.SupersededAt = "", nil, nil
	}
	u.Phase, u.Weight, u.Workload = v1.VersionActive, 100, v1.WorkloadMain
	u.Revision, u.RevisionNumber, u.Unserved = run.Revision, run.RevisionNumber, false
	u.ExposedWeight = 100
	u.Replicas = m.in.Policy.Replicas
	if m.in.Policy.Autoscaled {
		u.Replicas = m.in.Policy.Min
	}
}

// supersedeInPlace ends a unit whose pods another one's take the place of.
func supersedeInPlace(u *unit, over bool) {
	u.Weight, u.ExposedWeight, u.Replicas, u.AcceptedWeight = 0, 0, 0, nil
	if over || u.Phase == v1.VersionDecommissioned {
		u.Phase, u.Workload = v1.VersionDecommissioned, ""
		return
	}
	u.Phase = v1.VersionDraining
}

// Sentence says how far a workload has come. what names it: "Version v2".
func Sentence(what string, s Observation) string {
	switch {
	case s.Wanted == 0 && s.Complete:
		return what + " is scaled to 0 pods."
	case s.Complete && s.Ready >= s.Wanted:
		return fmt.Sprintf("%s serves with %d of %d pods ready.", what, s.Ready, s.Wanted)
	case s.Complete:
		return fmt.Sprintf("%s has %d of %d pods ready.", what, s.Ready, s.Wanted)
	default:
		return fmt.Sprintf("%s is rolling out: %d of %d pods updated, %d ready.", what, s.Updated, s.Wanted, s.Ready)
	}
}

// beingReplaced tells that the workload of a unit runs another one already.
func (m *machine) beingReplaced(u *unit) bool {
	return m.ro.Mode == v1.RolloutInPlace && u.Workload == v1.WorkloadMain && u.Weight == 0
}
