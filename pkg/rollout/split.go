package rollout

import (
	"slices"

	v1 "gati.dev/gati/api/v1"
)

// SplitPods returns how many pods of how many stand for the weight of a new version where
// the numbers of pods divide the traffic.
func SplitPods(weight, replicas int32) (n, all int32) {
	if weight == 0 || weight == 100 {
		return weight / 100 * replicas, replicas
	}
	split := splitPods([]int32{100 - weight, weight}, replicas)
	return split[1], split[0] + split[1]
}

// splitPods divides pods by weights above zero: whole pods, at least one each, the largest
// remainders first.
func splitPods(weights []int32, replicas int32) []int32 {
	out, order := make([]int32, len(weights)), make([]int, len(weights))
	if replicas == 0 || len(weights) == 0 {
		return out
	}
	left := replicas
	for i, w := range weights {
		order[i], out[i] = i, max(1, w*replicas/100)
		left -= out[i]
	}
	slices.SortStableFunc(order, func(a, b int) int { return int(weights[b]*replicas%100 - weights[a]*replicas%100) })
	for i := 0; left > 0; i++ {
		out[order[i%len(order)]]++
		left--
	}
	for left < 0 && shrinkLargest(order, out) {
		left++
	}
	return out
}

// shrinkLargest takes a pod where there are most, and reports whether there was one to
// take.
func shrinkLargest(order []int, pods []int32) bool {
	most := -1
	for _, i := range order {
		if pods[i] > 1 && (most < 0 || pods[i] > pods[most]) {
			most = i
		}
	}
	if most < 0 {
		return false
	}
	pods[most]--
	return true
}

// checkSplit asks for the numbers of pods that the weights stand for.
func (t traffic) checkSplit() verdict {
	current := weights{}
	for _, u := range t.units {
		if isLive(u) {
			current[u] = u.Weight
		}
	}
	goal := t.apportionReplicas(current)
	for _, u := range t.units {
		if !isLive(u) {
			continue
		}
		// One that loses traffic may be short of pods: that keeps no other back.
		gains := t.isUnit(u, t.ro.Target) || t.ro.Target == nil && t.isUnit(u, t.ro.Stable) || t.isManual()
		switch w, seen := t.observedWorkload(u); {
		case !seen:
			return waitFor(v1.WaitingForObservation, "the workload %s of %s was not read yet", u.Workload, titleFor(u))
		case gains && w.Ready < goal[u]:
			return waitFor(v1.WaitingForPods, "%s has %d of the %s that %d %% needs%s", titleFor(u), w.Ready, countPods(goal[u], "ready "), u.Weight, describeTrouble(w))
		case goal[u] == 0 && w.Ready > 0:
			return waitFor(v1.WaitingForOldPods, "%s still has %s; 0 wanted", titleFor(u), countPods(w.Ready, "ready "))
		}
	}
	return passed
}

// splitReplicas returns the pods of every workload where their numbers move the traffic.
// Pods go only as fast as others are ready in their place.
func (t traffic) splitReplicas() map[*unit]int32 {
	current, out := weights{}, map[*unit]int32{}
	for _, u := range t.units {
		if isLive(u) {
			current[u] = u.Weight
		}
	}
	goal := t.apportionReplicas(current)
	var missing int32
	for _, u := range t.units {
		if isLive(u) {
			missing += max(0, goal[u]-t.readyPods(u))
		}
	}
	for _, u := range t.units {
		if !isLive(u) {
			continue
		}
		w, seen := t.observedWorkload(u)
		if !seen {
			out[u] = max(u.Replicas, goal[u])
			continue
		}
		spare := min(max(0, w.Ready-goal[u]), missing)
		missing -= spare
		out[u] = goal[u] + spare
	}
	return out
}
