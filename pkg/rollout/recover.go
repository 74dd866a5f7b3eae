package rollout

import (
	v1 "gati.dev/gati/api/v1"
)

// recoverState makes a state where there is none: of the versions that a status
// without a rollout has, or where that was lost, of the workloads that are there
// and the weights of the route. It fails where too little was seen to tell.
//
// The first request that is seen then was perhaps handled before, so it is not
// handled again.
func (m *machine) recoverState() bool {
	if r := m.in.Request; r != nil {
		m.rememberRequest(v1.HandledRequest{ID: r.ID, Request: string(r.Verb), Outcome: "the status was lost, so this may have been done already; request it again", Refused: true})
	}
	if m.hasAllWeights() {
		m.resumeRollout()
		return true
	}
	for _, workload := range sortedKeys(m.in.Route.Weights) {
		// One without weight counts, too: the gateway may not have accepted that.
		if _, seen := m.in.Workloads[workload]; !seen && m.in.Policy.Gateway {
			m.reason = "The status was lost, and workload " + workload + ", which the route names, was not seen yet."
			return false
		}
	}
	shares := m.observedShares()
	if len(shares) == 0 {
		return true // Nothing has ever run.
	}
	for _, workload := range sortedKeys(shares) {
		m.takeWorkload(workload, shares[workload])
	}
	for _, u := range m.units {
		u.ExposedWeight = max(u.Weight, m.maxShare(u))
	}
	m.resumeRollout()
	return true
}

// observedShares returns what each workload gets in percent: the route says it,
// or the ready pods do.
func (m *machine) observedShares() map[string]int32 {
	raw := map[string]int32{}
	var sum int32
	add := func(weight func(string, Workload) int32) {
		for _, name := range sortedKeys(m.in.Workloads) {
			if w := m.in.Workloads[name]; w.Exists && w.Unit.Version != "" {
				raw[name] = weight(name, w)
				sum += raw[name]
			}
		}
	}
	if m.in.Policy.Gateway {
		add(func(name string, _ Workload) int32 { return m.in.Route.Weights[name] })
	}
	for _, weight := range []func(string, Workload) int32{
		func(_ string, w Workload) int32 { return w.Ready },
		func(_ string, w Workload) int32 { return w.Wanted },
		func(string, Workload) int32 { return 1 },
	} {
		if sum == 0 {
			add(weight)
		}
	}
	return normalizeShares(raw, sum)
}

// normalizeShares makes percents, the rest to the largest.
func normalizeShares(raw map[string]int32, sum int32) map[string]int32 {
	out, left, largest := map[string]int32{}, int32(100), ""
	for _, name := range sortedKeys(raw) {
		out[name] = raw[name] * 100 / max(sum, 1)
		left -= out[name]
		if largest == "" || raw[name] > raw[largest] {
			largest = name
		}
	}
	if largest != "" {
		out[largest] += left
	}
	return out
}

// takeWorkload makes a unit of a workload that was seen.
func (m *machine) takeWorkload(workload string, weight int32) {
	w := m.in.Workloads[workload]
	u := m.findTemplate(w.Unit.Version, w.Unit.RevisionNumber)
	if u == nil || u.Workload != "" {
		u = m.addUnit(w.Unit, m.stampNow())
	}
	u.Workload, u.Revision = workload, w.Unit.Revision
	u.Phase, u.Weight = v1.VersionActive, weight
	u.AdmittedAt = m.stampNow()
}

// resumeRollout finds the state of a rollout: stable is the version with the most traffic
// beside the declared one, and the step is that of the weight.
func (m *machine) resumeRollout() {
	d := m.findTemplate(m.in.Declared.Version, m.in.Declared.RevisionNumber)
	stable := m.findServingBeside(d)
	if stable == nil {
		return
	}
	m.ro.Stable, stable.SupersededAt = stable.Ref(), nil
	if m.isFirstStart(stable) {
		m.beginFirst(nil, stable.Ref(), "")
		return
	}
	m.setPhase(v1.RolloutStable)
	if m.in.Policy.Strategy == v1.StrategyRollingUpdate && stable.Workload == v1.WorkloadMain {
		m.ro.Mode = v1.RolloutInPlace
	}
	if d == nil || d == stable || d.Weight == 0 || m.isManual() {
		return
	}
	m.adoptShare(d)
	m.recordEvent(machineName, "Resumed", describeShare(titleFor(stable), stable.Weight), describeShare(titleFor(d), d.Weight), "the status was lost; the pause of the step begins anew")
}

// isFirstStart reports whether a unit is all that a handler ever had, and none of its pods
// is ready: the process that created it has ended before its first status.
func (m *machine) isFirstStart(u *unit) bool {
	w, _ := m.observedWorkload(u)
	return len(m.units) == 1 && u.RevisionNumber == 1 && w.Ready == 0 && m.in.Policy.Replicas > 0
}

// maxShare is the most that a unit may be getting where the gateway's answer is
// unknown: the share that its pods were for.
func (m *machine) maxShare(u *unit) int32 {
	wanted, r := int64(m.in.Workloads[u.Workload].Wanted), int64(m.sampleReplicas())
	if !isLive(u) || wanted == 0 || r == 0 {
		return 0
	}
	return int32(min(100, (wanted*100+r-1)/r))
}
