package rollout

import (
	v1 "gati.dev/gati/api/v1"
)

// weights are shares of the traffic in percent. A unit that is missing has none.
type weights map[*unit]int32

func allTo(u *unit) weights { return weights{u: 100} }

// holdReference samples the replicas that carry all traffic, unless that was done already.
func (m *machine) holdReference() {
	if m.ro.ReferenceReplicas == nil {
		r := m.sampleReplicas()
		m.ro.ReferenceReplicas = &r
	}
	m.raiseReference()
}

// raiseReference follows what is asked for, but only up.
func (m *machine) raiseReference() {
	if m.ro.ReferenceReplicas == nil {
		return
	}
	now := m.in.Policy.Replicas
	if m.in.Policy.Autoscaled {
		now = 0
		if s := m.findUnit(m.ro.Stable); s != nil && m.in.Policy.Gateway && !m.isManual() {
			now = m.in.Workloads[s.Workload].Wanted
		}
	}
	if now > *m.ro.ReferenceReplicas {
		m.ro.ReferenceReplicas = &now
	}
}

func ceil(weight, replicas int32) int32 {
	return int32((int64(weight)*int64(replicas) + 99) / 100)
}

// neededReadyPods is how many pods of the target a step needs.
func (m *machine) neededReadyPods(step Step) int32 {
	if m.in.Policy.Gateway {
		return m.traffic.neededReplicas(step.Weight)
	}
	goal := weights{m.findUnit(m.ro.Stable): 100 - step.Weight, m.findUnit(m.ro.Target): step.Weight}
	return m.traffic.apportionReplicas(goal)[m.findUnit(m.ro.Target)]
}

// settled counts the ready pods that a gateway has heard of. What becomes of an endpoint
// in a gateway is not observable: there is no status of it.
func settled(w Workload) int32 { return max(0, w.Ready-w.Settling) }

// moveWeights brings the weights as close to a goal as ready pods carry. A weight is
// never raised beyond them, unless it comes from a unit that has no ready pod at
// all and goes to one that has some. partial lets a unit have a part of its goal.
func (m *machine) moveWeights(goal weights, partial bool) {
	raise, dead := m.traffic.computeRaises(goal, partial)
	var total int32
	for _, n := range raise {
		total += n
	}
	if total == 0 {
		return
	}
	before := weights{}
	for _, u := range m.traffic.orderGivers(dead) {
		before[u] = u.Weight
		n := min(total, max(0, u.Weight-goal[u]))
		u.Weight -= n
		total -= n
	}
	for u, n := range raise {
		u.Weight += n
	}
	if m.traffic.exceedsShares() {
		for u, w := range before {
			u.Weight = w // More pods that are ready let it move by more at once.
		}
	}
}

// computeReplicas computes the floor of every workload.
func (m *machine) computeReplicas() {
	m.ro.SparePods = 0
	if m.isReferenceOver() {
		m.ro.ReferenceReplicas = nil
	}
	if !m.in.Policy.Gateway {
		m.splitReplicas()
		return
	}
	for _, u := range m.units {
		if isLive(u) {
			u.Replicas = m.minReplicas(u)
			m.addSparePods(u)
		}
	}
}

// addSparePods gives the target of steps its warm pool: pods for the next steps, at most
// those that all traffic needs. No gate waits for them.
func (m *machine) addSparePods(u *unit) {
	if m.in.Policy.Pool == 0 || m.ro.Mode != v1.RolloutSteps || m.ro.Phase != v1.RolloutProgressing || !m.isUnit(u, m.ro.Target) {
		return
	}
	spare := min(m.in.Policy.Pool, m.referenceReplicas()-u.Replicas)
	if spare > 0 {
		u.Replicas += spare
		m.ro.SparePods = spare
	}
}

// isReferenceOver reports whether nothing depends on the sampled replicas any more.
func (m *machine) isReferenceOver() bool {
	if m.ro.Phase != v1.RolloutStable && m.ro.Phase != v1.RolloutStarting {
		return false
	}
	for _, u := range m.units {
		if isLive(u) && (m.retention.isWarm(u) || u.ExposedWeight != u.Weight) {
			return false
		}
	}
	return true
}

// minReplicas is the fewest pods of a unit.
func (m *machine) minReplicas(u *unit) int32 {
	weight := max(u.Weight, u.ExposedWeight, m.preparedWeight(u))
	n := m.traffic.neededReplicas(weight)
	switch {
	case m.ro.ReferenceReplicas == nil && m.in.Policy.Autoscaled:
		n = 1
		if m.isUnit(u, m.ro.Stable) {
			n = m.in.Policy.Min
		}
	case m.isUnit(u, m.ro.Stable) && !m.isManual(), m.retention.isWarm(u):
		n = max(n, m.referenceReplicas())
	}
	if m.retention.isKeptWarm(u) {
		n = max(n, m.in.Policy.Warm)
	}
	return n
}

// mayIdle reports whether a unit may be without pods: only callers with its header reach
// it, and no rollback or coming weight needs it.
func (m *machine) mayIdle(u *unit) bool {
	needed := m.isUnit(u, m.ro.Stable) || m.isUnit(u, m.ro.Target) || m.retention.isWarm(u) || m.retention.isKeptWarm(u)
	return m.in.Policy.MayIdle && !needed && max(u.Weight, u.ExposedWeight, m.preparedWeight(u)) == 0
}

// preparedWeight is the weight that a unit is being prepared for.
func (m *machine) preparedWeight(u *unit) int32 {
	switch {
	case m.isManual():
		return m.byRecord[u]
	case m.isUnit(u, m.ro.Target) && m.ro.Phase == v1.RolloutProgressing:
		return m.rolloutSteps()[m.ro.Step].Weight
	default:
		return 0
	}
}
