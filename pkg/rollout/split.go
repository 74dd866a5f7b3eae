package rollout

import (
	"slices"

	v1 "gati.dev/gati/api/v1"
)

// apportionReplicas gives each unit its share of the replicas: whole pods, at least one
// where there is any weight, the largest remainders first.
func (m *machine) apportionReplicas(goal weights) map[*unit]int32 {
	r := m.referenceReplicas()
	out := map[*unit]int32{}
	if r == 0 {
		return out
	}
	var order []*unit
	left := r
	for _, u := range m.units {
		if goal[u] > 0 {
			order = append(order, u)
			out[u] = max(1, goal[u]*r/100)
			left -= out[u]
		}
	}
	slices.SortStableFunc(order, func(a, b *unit) int { return int(goal[b]*r%100 - goal[a]*r%100) })
	for i := 0; left > 0; i++ {
		out[order[i%len(order)]]++
		left--
	}
	for left < 0 && m.shrinkLargest(order, out) {
		left++
	}
	return out
}

// shrinkLargest takes a pod from the unit that has the most, and reports whether there
// was one to take.
func (m *machine) shrinkLargest(order []*unit, out map[*unit]int32) bool {
	var most *unit
	for _, u := range order {
		if out[u] > 1 && (most == nil || out[u] > out[most]) {
			most = u
		}
	}
	if most == nil {
		return false
	}
	out[most]--
	return true
}

// splitReplicas computes the pods of every workload where their numbers move the traffic.
// Pods go only as fast as others are ready in their place.
func (m *machine) splitReplicas() {
	current := weights{}
	for _, u := range m.units {
		if isLive(u) {
			current[u] = u.Weight
		}
	}
	goal := m.apportionReplicas(current)
	var missing int32
	for _, u := range m.units {
		if isLive(u) {
			missing += max(0, goal[u]-m.readyPods(u))
		}
	}
	for _, u := range m.units {
		if !isLive(u) {
			continue
		}
		w, seen := m.observedWorkload(u)
		if !seen {
			u.Replicas = max(u.Replicas, goal[u])
			continue
		}
		spare := min(max(0, w.Ready-goal[u]), missing)
		missing -= spare
		u.Replicas = goal[u] + spare
	}
}

// checkSplit asks for the numbers of pods that the weights stand for.
func (m *machine) checkSplit() verdict {
	current := weights{}
	for _, u := range m.units {
		if isLive(u) {
			current[u] = u.Weight
		}
	}
	goal := m.apportionReplicas(current)
	for _, u := range m.units {
		if !isLive(u) {
			continue
		}
		// One that loses traffic may be short of pods: that keeps no other back.
		gains := m.isUnit(u, m.ro.Target) || m.ro.Target == nil && m.isUnit(u, m.ro.Stable) || m.isManual()
		switch w, seen := m.observedWorkload(u); {
		case !seen:
			return wait(v1.WaitingForObservation, "the workload %s of %s was not read yet", u.Workload, titleFor(u))
		case gains && w.Ready < goal[u]:
			return wait(v1.WaitingForPods, "%s has %d of the %s that %d %% needs%s", titleFor(u), w.Ready, pods(goal[u], "ready "), u.Weight, trouble(w))
		case goal[u] == 0 && w.Ready > 0:
			return wait(v1.WaitingForOldPods, "%s still has %s; 0 wanted", titleFor(u), pods(w.Ready, "ready "))
		}
	}
	return passed
}
