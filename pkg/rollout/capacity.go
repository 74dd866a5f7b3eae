package rollout

import (
	"cmp"
	"slices"

	v1 "gati.dev/gati/api/v1"
)

// weights are shares of the traffic in percent. A unit that is missing has none.
type weights map[*unit]int32

func allTo(u *unit) weights { return weights{u: 100} }

// hasWeights reports whether every unit has its weight of the goal.
func (m *machine) hasWeights(goal weights) bool {
	for _, u := range m.units {
		if isLive(u) && u.Weight != goal[u] {
			return false
		}
	}
	return true
}

// holdReference samples the replicas that carry all traffic, unless that was done already.
func (m *machine) holdReference() {
	if m.ro.ReferenceReplicas == nil {
		r := m.sampleReplicas()
		m.ro.ReferenceReplicas = &r
	}
	m.raiseReference()
}

// sampleReplicas returns the replicas that carry all traffic now.
func (m *machine) sampleReplicas() int32 {
	if !m.in.Policy.Autoscaled {
		return m.in.Policy.Replicas
	}
	var all int32
	for _, u := range m.units {
		if isLive(u) && u.Weight > 0 {
			all += m.in.Workloads[u.Workload].Wanted
		}
	}
	return max(all, m.in.Policy.Min)
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

// referenceReplicas returns the replicas that carry all traffic.
func (m *machine) referenceReplicas() int32 {
	if m.ro.ReferenceReplicas != nil {
		return *m.ro.ReferenceReplicas
	}
	return m.sampleReplicas()
}

// neededReplicas is the floor of a version: the pods that its weight needs, at least one.
func (m *machine) neededReplicas(weight int32) int32 {
	r := m.referenceReplicas()
	if r == 0 {
		return 0
	}
	return max(1, ceil(weight, r))
}

func ceil(weight, replicas int32) int32 {
	return int32((int64(weight)*int64(replicas) + 99) / 100)
}

// neededReadyPods is how many pods of the target a step needs.
func (m *machine) neededReadyPods(step Step) int32 {
	if m.in.Policy.Gateway {
		return m.neededReplicas(step.Weight)
	}
	goal := weights{m.findUnit(m.ro.Stable): 100 - step.Weight, m.findUnit(m.ro.Target): step.Weight}
	return m.apportionReplicas(goal)[m.findUnit(m.ro.Target)]
}

// settled counts the ready pods that a gateway has heard of. What becomes of an endpoint
// in a gateway is not observable: there is no status of it.
func settled(w Workload) int32 { return max(0, w.Ready-w.Settling) }

// carriedWeight is the weight that the ready pods of a unit can carry, as far as a gateway
// has heard of them. Without a gateway the traffic goes where the pods are.
func (m *machine) carriedWeight(u *unit) int32 {
	r := m.referenceReplicas()
	if r == 0 || !m.in.Policy.Gateway {
		return 100
	}
	w, seen := m.observedWorkload(u)
	if !seen {
		return u.Weight
	}
	return min(100, int32(int64(settled(w))*100/int64(r)))
}

// moveWeights brings the weights as close to a goal as ready pods carry. A weight is
// never raised beyond them, unless it comes from a unit that has no ready pod at
// all and goes to one that has some. partial lets a unit have a part of its goal.
func (m *machine) moveWeights(goal weights, partial bool) {
	raise, dead := m.computeRaises(goal, partial)
	var total int32
	for _, n := range raise {
		total += n
	}
	if total == 0 {
		return
	}
	before := weights{}
	for _, u := range m.orderGivers(dead) {
		before[u] = u.Weight
		n := min(total, max(0, u.Weight-goal[u]))
		u.Weight -= n
		total -= n
	}
	for u, n := range raise {
		u.Weight += n
	}
	if m.exceedsShares() {
		for u, w := range before {
			u.Weight = w // More pods that are ready let it move by more at once.
		}
	}
}

// orderGivers are the units in the order in which they give weight away: first those
// without a ready pod, then those that have the least, so that a route has as few
// backends as can be.
func (m *machine) orderGivers(dead map[*unit]bool) []*unit {
	units := slices.DeleteFunc(slices.Clone(m.units), func(u *unit) bool { return !isLive(u) })
	slices.SortStableFunc(units, func(a, b *unit) int {
		switch {
		case dead[a] == dead[b]:
			return cmp.Compare(a.Weight, b.Weight)
		case dead[a]:
			return -1
		default:
			return 1
		}
	})
	return units
}

// exceedsShares reports whether more versions share the traffic than a route has room for.
func (m *machine) exceedsShares() bool {
	n := 0
	for _, u := range m.units {
		if isLive(u) && u.Weight > 0 {
			n++
		}
	}
	return m.in.Policy.Gateway && n > MaxShares
}

// computeRaises returns what each unit may be given, and the units without a ready pod.
func (m *machine) computeRaises(goal weights, partial bool) (raise weights, dead map[*unit]bool) {
	raise = weights{}
	dead, lost := m.findDeadUnits(goal)
	for _, u := range m.units {
		if !isLive(u) || goal[u] <= u.Weight {
			continue
		}
		room := max(0, min(goal[u], m.carriedWeight(u))-u.Weight)
		if !partial && room < goal[u]-u.Weight {
			room = 0
		}
		raise[u] = room
		lost -= min(lost, room)
	}
	for _, u := range m.units {
		if more := goal[u] - u.Weight - raise[u]; isLive(u) && more > 0 && lost > 0 && m.readyPods(u) > 0 && partial {
			more = min(more, lost)
			raise[u] += more
			lost -= more
		}
	}
	return raise, dead
}

// findDeadUnits returns the units that have no ready pod, and the weight that they are to
// give away.
func (m *machine) findDeadUnits(goal weights) (dead map[*unit]bool, lost int32) {
	dead = map[*unit]bool{}
	for _, u := range m.units {
		if w, seen := m.observedWorkload(u); isLive(u) && seen && w.Ready == 0 {
			dead[u] = true
			lost += max(0, u.Weight-goal[u])
		}
	}
	return dead, lost
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
		if isLive(u) && (m.isWarm(u) || u.ExposedWeight != u.Weight) {
			return false
		}
	}
	return true
}

// isWarm reports whether a unit keeps its pods, so that a rollback is immediate.
func (m *machine) isWarm(u *unit) bool {
	return m.in.Policy.Gateway && u.SupersededAt != nil && u.DecommissionedBy == "" && m.timeLeft(u.SupersededAt, m.in.Policy.RollbackWindow) > 0
}

// isKeptWarm reports whether a unit keeps pods although it drains, because it was stable
// before.
func (m *machine) isKeptWarm(u *unit) bool {
	return m.in.Policy.Warm > 0 && m.in.Policy.Gateway && u.DecommissionedBy == "" && !m.recordFor(u).Inactive &&
		m.isUnit(u, m.ro.Previous) && !m.isUnit(u, m.ro.Stable)
}

// minReplicas is the fewest pods of a unit.
func (m *machine) minReplicas(u *unit) int32 {
	weight := max(u.Weight, u.ExposedWeight, m.preparedWeight(u))
	n := m.neededReplicas(weight)
	switch {
	case m.ro.ReferenceReplicas == nil && m.in.Policy.Autoscaled:
		n = 1
		if m.isUnit(u, m.ro.Stable) {
			n = m.in.Policy.Min
		}
	case m.isUnit(u, m.ro.Stable) && !m.isManual(), m.isWarm(u):
		n = max(n, m.referenceReplicas())
	}
	if m.isKeptWarm(u) {
		n = max(n, m.in.Policy.Warm)
	}
	return n
}

// mayIdle reports whether a unit may be without pods: only callers with its header reach
// it, and no rollback or coming weight needs it.
func (m *machine) mayIdle(u *unit) bool {
	needed := m.isUnit(u, m.ro.Stable) || m.isUnit(u, m.ro.Target) || m.isWarm(u) || m.isKeptWarm(u)
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
