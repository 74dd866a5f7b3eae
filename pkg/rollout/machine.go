package rollout

import (
	"cmp"
	"slices"
	"time"

	v1 "gati.dev/gati/api/v1"
)

// retryInterval is how soon to look again where something was not seen.
const retryInterval = 10 * time.Second

// unit is a template of a version and the workload that runs it.
type unit = v1.VersionStatus

// machine is one decision in the making: a copy of the state that the rules
// change. The calculators see that copy as it is now.
type machine struct {
	*roster
	*clock
	*journal
	in         Input
	traffic    traffic
	contracts  contracts
	candidates candidates
	retention  retention
	judging    judging
	checks     checks
	gateway    gateway
	pods       podWatch
	gatekeeper gatekeeper
	shares     *shares
	capacity   capacity
}

func newMachine(in Input) *machine {
	m := &machine{in: in, clock: &clock{now: in.Now}}
	m.roster = &roster{ro: &v1.RolloutStatus{}, records: in.Records, policy: &m.in.Policy, declared: in.Declared, handler: in.nameHandler(), observed: in.Workloads}
	for i := range in.State.Versions {
		m.units = append(m.units, in.State.Versions[i].DeepCopy())
	}
	slices.SortStableFunc(m.units, bySequence)
	if in.State.Rollout != nil {
		m.ro = in.State.Rollout.DeepCopy()
	}
	m.journal = &journal{clock: m.clock, rules: &m.in.Policy, status: m.ro}
	m.traffic = traffic{m.roster}
	m.contracts = contracts{roster: m.roster, clock: m.clock, journal: m.journal, transformers: in.Transformers}
	m.candidates = candidates{m.contracts, in.Turn, in.State.Rollout}
	m.retention = retention{contracts: m.contracts, evidence: map[*unit]*v1.EvidenceStatus{}}
	m.judging = judging{m.roster, m.clock, m.journal, m.traffic, m.retention, m.in.Policy.Analysis, in.Counters, in.Measurements}
	m.gateway = gateway{m.roster, m.clock, m.journal, m.traffic, in.State, in.Route}
	m.shares = &shares{contracts: m.contracts, traffic: m.traffic}
	m.capacity = capacity{m.retention, m.traffic, m.shares}
	m.checks = checks{m.roster, m.clock, m.journal, m.traffic, in.Handler, in.CheckJobs}
	m.pods = podWatch{m.roster, m.clock, m.journal, m.traffic, in.State.Versions}
	m.gatekeeper = gatekeeper{m.roster, m.clock, m.traffic, m.contracts, m.pods, m.judging, m.checks, m.gateway}
	m.normalizePhase()
	return m
}

// persistedVersions returns the units as they are persisted.
func (r *roster) persistedVersions() []v1.VersionStatus {
	out := make([]v1.VersionStatus, 0, len(r.units))
	for _, u := range r.units {
		out = append(out, *u)
	}
	return dropOldest(out)
}

func bySequence(a, b *unit) int { return cmp.Compare(a.Sequence, b.Sequence) }

// isLive reports whether a unit has a workload that is to stay.
func isLive(u *unit) bool { return u.Phase != v1.VersionDecommissioned && u.Workload != "" }

// runsTemplate reports whether a unit runs a template, in any workload.
func runsTemplate(u *unit, version string, number int64) bool {
	return u.Version == version && u.RevisionNumber == number
}

// sameTemplate reports whether two units run the same template.
func sameTemplate(a, b *unit) bool {
	return a != nil && b != nil && runsTemplate(a, b.Version, b.RevisionNumber)
}

// titleFor returns the title of a unit: v2, or v2 r2 when its version has more than one
// template.
func titleFor(u *unit) string {
	if u == nil {
		return "nothing"
	}
	return u.Title()
}

// moveWeights brings the weights as close to a goal as ready pods carry.
func (m *machine) moveWeights(goal weights, partial bool) {
	for u, w := range m.traffic.nextWeights(goal, partial) {
		u.Weight = w
	}
}
