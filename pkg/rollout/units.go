package rollout

import (
	"slices"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/naming"
)

// declare gives the declared unit a place among the units, and a workload of its
// own.
func (m *machine) declare() {
	d := m.in.Declared
	u := m.known(d.Version, d.RevisionNumber)
	if u == nil {
		u = m.add(d)
		w, seen := m.in.Workloads[naming.Slug(d.Version, d.RevisionNumber)]
		u.Unserved = seen && !w.Exists
	}
	if m.in.Policy.Strategy == v1.StrategyRollingUpdate && m.ro.Stable != nil {
		return // It goes into the workload main, once that is free.
	}
	m.revive(u)
}

// add appends a unit that was never admitted before.
func (m *machine) add(d Unit) *unit {
	u := &unit{
		Version: d.Version, Revision: d.Revision, RevisionNumber: d.RevisionNumber,
		Sequence: sequenceOf(m.units, d.Version), Phase: v1.VersionActive, AdmittedAt: m.stamp(),
	}
	m.units = append(m.units, u)
	slices.SortStableFunc(m.units, bySequence)
	return u
}

// revive gives a unit a workload again.
func (m *machine) revive(u *unit) {
	if live(u) {
		return
	}
	if u.Workload == "" {
		u.Workload = naming.Slug(u.Version, u.RevisionNumber)
	}
	u.Phase, u.DecommissionedBy, u.DrainingSince, u.SupersededAt, u.Evidence = v1.VersionActive, "", nil, nil, nil
}

// known returns the unit that runs a template: the one with traffic, else one
// that is live, else any.
func (m *machine) known(version string, number int64) *unit {
	var best *unit
	rank := func(u *unit) int32 {
		switch {
		case u == nil:
			return -2
		case live(u):
			return u.Weight
		default:
			return -1
		}
	}
	for _, u := range m.units {
		if same(u, version, number) && rank(u) > rank(best) {
			best = u
		}
	}
	return best
}

// adopt takes in workloads that no unit stands for: the status had lost them.
// They drain like any other.
func (m *machine) adopt() {
	for _, name := range sortedKeys(m.in.Workloads) {
		w := m.in.Workloads[name]
		claimed := slices.ContainsFunc(m.units, func(u *unit) bool { return u.Workload == name })
		if claimed || !w.Exists || w.Unit.Version == "" || m.in.Policy.Strategy == v1.StrategyRollingUpdate && name == v1.WorkloadMain {
			continue
		}
		u := m.known(w.Unit.Version, w.Unit.RevisionNumber)
		if u == nil || u.Workload != "" {
			u = m.add(w.Unit)
		}
		u.Workload, u.Phase = name, v1.VersionDraining
		u.ExposedWeight, u.SupersededAt = m.mayGet(u), m.stamp()
	}
}

// heed ends what holds only until the spec changes.
func (m *machine) heed() {
	if m.ro.Intent != "" && m.ro.Intent != m.in.Intent {
		m.ro.Rejected, m.ro.Pinned = nil, nil
		if m.ro.Phase == v1.RolloutFailed {
			m.ro.Phase, m.ro.Failure, m.ro.Analysis = v1.RolloutProgressing, "", nil
			m.ro.ShortSince, m.ro.DownSince = nil, nil
		}
		if t := m.find(m.ro.Target); t != nil && m.ro.Mode == v1.RolloutSteps {
			// The steps may be others now.
			m.ro.Step, m.ro.StepStartedAt = stepAt(m.steps(), t.Weight), nil
		}
	}
	m.ro.Intent = m.in.Intent
	d := m.in.Declared
	m.ro.Declared = &v1.UnitRef{Version: d.Version, Revision: d.Revision, RevisionNumber: d.RevisionNumber}
}

// wanted returns the unit that should be stable, and why it is not the declared
// one where it is another.
func (m *machine) wanted() (*unit, string) {
	stable := m.find(m.ro.Stable)
	if p := m.ro.Pinned; p != nil {
		if u := m.known(p.Version, p.RevisionNumber); u != nil && !m.record(u).Inactive {
			return u, "rolled back to " + name(u) + " by " + p.By + " until the spec changes"
		}
	}
	d := m.known(m.in.Declared.Version, m.in.Declared.RevisionNumber)
	if stable == nil || d == stable {
		return d, ""
	}
	if why := m.rejected(d); why != "" {
		return stable, name(d) + " is not tried again until the spec changes: " + why
	}
	if why := m.barred(d); why != "" {
		return stable, name(d) + " gets no weighted traffic: " + why
	}
	return d, ""
}

// settle computes what follows from the state: pods, phases of versions, and when
// the reference is over.
func (m *machine) settle() {
	for _, u := range m.units {
		if live(u) && u.AdmittedAt == nil {
			u.AdmittedAt = m.stamp() // Lost with the status: its age counts anew.
		}
	}
	m.notice()
	m.weigh()
	m.phaseVersions()
	m.drain()
	if m.ro.Mode != v1.RolloutInPlace {
		m.measure()
	}
	for _, u := range m.units {
		if !live(u) {
			if m.ro.Mode != v1.RolloutInPlace {
				u.Phase = v1.VersionDecommissioned
			}
			u.Replicas, u.Weight, u.ExposedWeight, u.AcceptedWeight = 0, 0, 0, nil
		}
	}
	m.merge()
}

// merge drops what is over twice: the same template in two workloads.
func (m *machine) merge() {
	type template struct {
		version string
		number  int64
	}
	there := map[template]bool{}
	for _, u := range m.units {
		if live(u) || u.Workload != "" {
			there[template{u.Version, u.RevisionNumber}] = true
		}
	}
	m.units = slices.DeleteFunc(m.units, func(u *unit) bool {
		if live(u) || u.Workload != "" {
			return false
		}
		key := template{u.Version, u.RevisionNumber}
		again := there[key]
		there[key] = true
		return again
	})
}
