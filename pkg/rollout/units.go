package rollout

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/naming"
)

// ensureDeclared gives the declared unit a place among the units, and a workload of its
// own.
func (m *machine) ensureDeclared() {
	d := m.in.Declared
	u := m.findTemplate(d.Version, d.RevisionNumber)
	if u == nil {
		u = m.addUnit(d, m.stampNow())
		w, seen := m.in.Workloads[naming.Slug(d.Version, d.RevisionNumber)]
		u.Unserved = seen && !w.Exists
	}
	if m.in.Policy.Strategy == v1.StrategyRollingUpdate && m.ro.Stable != nil {
		return // It goes into the workload main, once that is free.
	}
	if !isLive(u) && m.candidates.waitsForTurn(u) {
		return // Its pods would come before its turn.
	}
	reviveUnit(u)
}

// addUnit appends a unit that was never admitted before.
func (r *roster) addUnit(d Unit, at *metav1.Time) *unit {
	u := &unit{
		Version: d.Version, Revision: d.Revision, RevisionNumber: d.RevisionNumber,
		Sequence: sequenceFor(r.units, d.Version), Phase: v1.VersionActive, AdmittedAt: at,
	}
	r.units = append(r.units, u)
	slices.SortStableFunc(r.units, bySequence)
	return u
}

// syncUnits adds a unit for each workload without one: the status had lost it. It drains
// like any other.
func (m *machine) syncUnits() {
	for _, name := range sortedKeys(m.in.Workloads) {
		w := m.in.Workloads[name]
		claimed := slices.ContainsFunc(m.units, func(u *unit) bool { return u.Workload == name })
		if claimed || !w.Exists || w.Unit.Version == "" || m.in.Policy.Strategy == v1.StrategyRollingUpdate && name == v1.WorkloadMain {
			continue
		}
		u := m.findTemplate(w.Unit.Version, w.Unit.RevisionNumber)
		if u == nil || u.Workload != "" {
			u = m.addUnit(w.Unit, m.stampNow())
		}
		u.Workload, u.Phase = name, v1.VersionDraining
		u.ExposedWeight, u.SupersededAt = m.maxShare(u), m.stampNow()
	}
}

// applySpecChange ends what holds only until the spec changes.
func (m *machine) applySpecChange() {
	if !slices.Contains([]string{"", m.in.Intent, m.in.EarlierIntent}, m.ro.Intent) {
		m.ro.Rejected, m.ro.Pinned = nil, nil
		if m.ro.Phase == v1.RolloutFailed {
			m.setPhase(v1.RolloutProgressing)
			m.ro.Failure = ""
			m.judging.resetAnalysis(false)
			m.checks.repeatChecks()
			m.ro.ShortSince, m.ro.ObstructedSince, m.ro.DownSince = nil, nil, nil
			if t := m.findUnit(m.ro.Target); t != nil {
				m.pods.startRestarts(t)
			}
		}
		if t := m.findUnit(m.ro.Target); t != nil && m.keepsTarget() {
			m.checks.repeatChecks()
			m.resumeSteps(t)
		}
	}
	m.ro.Intent = m.in.Intent
	d := m.in.Declared
	m.ro.Declared = &v1.UnitRef{Version: d.Version, Revision: d.Revision, RevisionNumber: d.RevisionNumber}
}

// deriveVersions computes what follows from the state: pods, phases of versions, and when
// the reference is over.
func (m *machine) deriveVersions() {
	for _, u := range m.units {
		if isLive(u) && u.AdmittedAt == nil {
			u.AdmittedAt = m.stampNow() // Lost with the status: its age counts anew.
		}
	}
	m.contracts.noteRuns()
	m.gateway.observeAccepted()
	m.retention.recordEvidence()
	m.retention.setVersionPhases()
	m.retention.drainVersions()
	if m.ro.Mode != v1.RolloutInPlace {
		m.capacity.computeReplicas()
	}
	for _, u := range m.units {
		if !isLive(u) {
			if m.ro.Mode != v1.RolloutInPlace {
				u.Phase = v1.VersionDecommissioned
			}
			u.Replicas, u.Weight, u.ExposedWeight, u.AcceptedWeight = 0, 0, 0, nil
			m.gateway.releaseWorkload(u)
		}
	}
	m.dropDuplicates()
	m.retention.forgetVersions(m.in.Kept)
}

// dropDuplicates drops duplicates of decommissioned units: the same template in two
// workloads.
func (r *roster) dropDuplicates() {
	type template struct {
		version string
		number  int64
	}
	there := map[template]bool{}
	for _, u := range r.units {
		if isLive(u) || u.Workload != "" {
			there[template{u.Version, u.RevisionNumber}] = true
		}
	}
	r.units = slices.DeleteFunc(r.units, func(u *unit) bool {
		if isLive(u) || u.Workload != "" {
			return false
		}
		key := template{u.Version, u.RevisionNumber}
		again := there[key]
		there[key] = true
		return again
	})
}

// reviveUnit gives a unit a workload again.
func reviveUnit(u *unit) {
	if isLive(u) {
		return
	}
	if u.Workload == "" {
		u.Workload = naming.Slug(u.Version, u.RevisionNumber)
	}
	u.Phase, u.DecommissionedBy, u.DrainingSince, u.SupersededAt, u.Evidence = v1.VersionActive, "", nil, nil, nil
}
