package rollout

import (
	v1 "gati.dev/gati/api/v1"
)

// claimMain returns the unit that a RollingUpdate runs the wanted template in: that of the
// workload main. While another version needs main, the template has a workload of its own, and
// moves once main is free: neither a release nor a drain waits for the other.
func (m *machine) claimMain(wanted *unit) *unit {
	var own *unit
	for _, u := range m.units {
		if u.Workload != v1.WorkloadMain {
			continue
		}
		switch {
		case sameTemplate(u, wanted):
			own = u
		case !isLive(u):
			u.Workload = ""
		case u.Phase != v1.VersionDraining || m.retention.findStay(u) != nil:
			m.addNote("%s moves to the workload main once %s, which runs there, is removed.", titleFor(wanted), titleFor(u))
			return wanted
		default:
			m.retention.endVersion(u)
			u.Workload = ""
		}
	}
	if own == nil {
		own = m.addUnit(Unit{wanted.Version, wanted.Revision, wanted.RevisionNumber}, m.stampNow())
		own.Workload, own.Phase = v1.WorkloadMain, v1.VersionDecommissioned
	}
	return own
}

// repairState puts right what another strategy, or a lost part of the status, has left.
func (m *machine) repairState() {
	if m.ro.Mode == v1.RolloutInPlace {
		m.leaveInPlace()
	}
	if m.findUnit(m.ro.Target) == nil {
		m.dropTarget()
	}
	if m.ro.Stable != nil && m.findUnit(m.ro.Stable) == nil {
		m.ro.Stable = nil
		if most := m.findHeaviest(); most != nil {
			m.ro.Stable = most.Ref()
		} else {
			m.setPhase("")
		}
	}
	rolling := m.in.Policy.Strategy == v1.StrategyRollingUpdate
	running := m.ro.Phase == v1.RolloutProgressing || m.ro.Phase == v1.RolloutFailed
	switch {
	case m.isManual():
	case running && m.ro.Target == nil:
		m.setPhase(v1.RolloutStable)
	case running && m.ro.Mode == v1.RolloutAtOnce && !rolling:
		m.startRollback(m.findUnit(m.ro.Target), machineName, "Superseded", "the strategy is "+string(m.in.Policy.Strategy)+" now")
	}
	m.ro.Step = min(m.ro.Step, int32(len(m.rolloutSteps())-1))
}

// leaveInPlace makes the template of the workload main the stable version: the Deployment
// itself replaces the pods of the earlier one.
func (m *machine) leaveInPlace() {
	m.adoptTarget()
	for _, u := range m.units {
		if u.Workload == v1.WorkloadMain && !m.isUnit(u, m.ro.Stable) {
			u.Phase, u.Workload, u.Weight, u.ExposedWeight = v1.VersionDecommissioned, "", 0, 0
		}
	}
}
