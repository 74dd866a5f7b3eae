package rollout

import (
	"slices"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/request"
)

// Next decides. The same input leads to the same decision, and deciding again from the
// resulting state changes nothing.
func Next(in Input) Decision {
	if !in.asksAboutNewTemplate() {
		return decide(in)
	}
	asked := in.Request
	in.Request = nil
	begun := decide(in)
	if begun.Undecided {
		return begun
	}
	in.State, in.Request = begun.State, asked
	d := decide(in)
	d.Events = append(begun.Events, d.Events...)
	return d
}

// asksAboutNewTemplate reports whether the request is about a rollout that has not begun,
// because its template was applied in the same moment. The rollout begins first: an abort
// that came before it would be refused, and the rollout would go on.
func (in *Input) asksAboutNewTemplate() bool {
	r, ro := in.Request, in.State.Rollout
	if r == nil || ro == nil || ro.Declared == nil || r.Verb != request.Promote && r.Verb != request.Abort {
		return false
	}
	isNew := ro.Declared.Version != in.Declared.Version || ro.Declared.RevisionNumber != in.Declared.RevisionNumber
	return isNew && !isHandled(ro, r)
}

// decide makes one pass.
func decide(in Input) Decision {
	m, decidable := newPrepared(in)
	if !decidable {
		return Decision{State: in.State, Undecided: true, Reason: m.reason, After: retryInterval}
	}
	m.handleRequests()
	if !m.isInPlace() {
		m.runPhases()
	}
	if m.isInPlace() {
		m.runInPlace()
	}
	return m.buildDecision()
}

// buildDecision gathers the results of the machine.
func (m *machine) buildDecision() Decision {
	m.candidates.noteTurn()
	m.contracts.ensureContract()
	m.contracts.followContract()
	m.deriveVersions()
	m.contracts.noteDeclared()
	m.contracts.watchReports()
	d := Decision{
		State:  State{Versions: m.persistedVersions(), Rollout: m.ro},
		Front:  m.selectFront(),
		Reason: m.reason, Stalled: m.stalled, Notes: m.notes,
		Events: m.events, After: m.after, Unmeasured: m.unmeasured,
		Checks: m.checks.planChecks(),
	}
	pinned, unpinned := m.selectPins()
	d.Unpinned = unpinned
	for _, u := range m.units {
		switch {
		case m.isBeingReplaced(u):
			// Its pods are being replaced: the workload is another's already.
		case isLive(u):
			d.Workloads = append(d.Workloads, m.planWorkload(u, pinned))
		case u.Workload != "":
			d.Delete = append(d.Delete, u.Workload)
		}
	}
	return d
}

// planWorkload returns the desired workload of a unit.
func (m *machine) planWorkload(u *unit, pinned map[*unit]bool) WorkloadPlan {
	every, judged := m.judging.measureInterval(u)
	return WorkloadPlan{
		MeasureEvery: every, Judged: judged, MeasureFrom: m.judging.measureFrom(judged), ReportEvery: m.shares.reportEvery(u), SeekSource: m.retention.seeksSource(u),
		Workload: u.Workload, Unit: Unit{u.Version, u.Revision, u.RevisionNumber},
		Weight: u.Weight, Replicas: u.Replicas,
		MayIdle: m.capacity.mayIdle(u),
		Exact:   !m.in.Policy.Autoscaled || !m.in.Policy.Gateway && m.ro.ReferenceReplicas != nil,
		Pinned:  pinned[u], Paused: m.ro.Frozen != nil && m.ro.Mode == v1.RolloutInPlace && m.ro.Phase == v1.RolloutProgressing,
		RestartedAt: u.RestartedAt,
	}
}

// selectFront returns the workload that the front Service selects. Where the pods are the
// traffic it is the stable one until every other has the transformers that it needs.
func (m *machine) selectFront() string {
	if m.ro.Mode == v1.RolloutInPlace {
		return v1.WorkloadMain // Whichever template of whichever version it runs.
	}
	isClosed := slices.ContainsFunc(m.units, func(u *unit) bool { return !m.contracts.isFrontOpenTo(u) })
	if s := m.findFrontUnit(); s != nil && (m.in.Policy.Gateway || isClosed) {
		return s.Workload
	}
	return ""
}
