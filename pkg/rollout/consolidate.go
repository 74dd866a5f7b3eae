package rollout

import (
	v1 "gati.dev/gati/api/v1"
)

// claimMain returns the unit that runs the wanted template in the workload main, for a
// handler that returns to the strategy RollingUpdate. A main that another version still
// needs is not touched: then the unit is nil, and a sentence describes the wait.
func (m *machine) claimMain(wanted *unit) *unit {
	var own *unit
	for _, u := range m.units {
		if u.Workload != v1.WorkloadMain {
			continue
		}
		switch {
		case sameTemplate(u, wanted):
			own = u
		case isLive(u):
			if u.Phase != v1.VersionDraining || m.retention.findStay(u) != nil {
				m.waitFor(waitFor(v1.WaitingForWorkload, "%s waits for the workload main, which %s still uses", titleFor(wanted), titleFor(u)))
				return nil
			}
			m.retention.endVersion(u)
			u.Workload = ""
		default:
			u.Workload = ""
		}
	}
	if own == nil {
		own = m.addUnit(Unit{wanted.Version, wanted.Revision, wanted.RevisionNumber}, m.stampNow())
		own.Workload, own.Phase = v1.WorkloadMain, v1.VersionDecommissioned
	}
	return own
}

// explainMain adds to a wait for the workload main why the version there stays. That is
// known once all drains are decided.
func (m *machine) explainMain() {
	w := m.ro.WaitingFor
	if w == nil || w.Reason != v1.WaitingForWorkload {
		return
	}
	for _, u := range m.units {
		if u.Workload == v1.WorkloadMain && u.Stays != nil {
			m.waitFor(waitFor(w.Reason, "%s: %s", w.Message, u.Stays.Message))
		}
	}
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
		m.setPhase(v1.RolloutRollingBack)
	case running && m.ro.Mode == v1.RolloutAtOnce && (!rolling || m.ro.Target.Workload != v1.WorkloadMain):
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
