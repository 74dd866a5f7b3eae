package rollout

import (
	"cmp"
	"slices"

	v1 "gati.dev/gati/api/v1"
)

// traffic computes what the ready pods of a handler carry: pods for weights where a gateway
// moves the traffic, and weights for pods where their numbers do. It changes nothing.
type traffic struct{ *roster }

// carriedWeight is the weight that the ready pods of a unit can carry, as far as a gateway
// has heard of them. Without a gateway the traffic goes where the pods are.
func (t traffic) carriedWeight(u *unit) int32 {
	r := t.referenceReplicas()
	if r == 0 || !t.policy.Gateway {
		return 100
	}
	w, seen := t.observedWorkload(u)
	if !seen {
		return u.Weight
	}
	return min(100, int32(int64(settled(w))*100/int64(r)))
}

// neededReplicas is the floor of a version: the pods that its weight needs, at least one.
func (t traffic) neededReplicas(weight int32) int32 {
	r := t.referenceReplicas()
	if r == 0 {
		return 0
	}
	return max(1, ceil(weight, r))
}

// apportionReplicas gives each unit its share of the replicas.
func (t traffic) apportionReplicas(goal weights) map[*unit]int32 {
	out := map[*unit]int32{}
	var order []*unit
	var shares []int32
	for _, u := range t.units {
		if goal[u] > 0 {
			order, shares = append(order, u), append(shares, goal[u])
		}
	}
	for i, n := range splitPods(shares, t.referenceReplicas()) {
		out[order[i]] = n
	}
	return out
}

// realShares returns the shares that weights come to: without a gateway, those of the
// pods that stand for them.
func (t traffic) realShares(goal weights) weights {
	split, all := t.apportionReplicas(goal), int32(0)
	for _, n := range split {
		all += n
	}
	if t.policy.Gateway || all == 0 {
		return goal
	}
	out := weights{}
	for u, n := range split {
		out[u] = n * 100 / all
	}
	return out
}

// exceedsShares reports whether more versions share the traffic than a route has room for.
func (t traffic) exceedsShares() bool {
	n := 0
	for _, u := range t.units {
		if isLive(u) && u.Weight > 0 {
			n++
		}
	}
	return t.policy.Gateway && n > MaxShares
}

// orderGivers are the units in the order in which they give weight away: first those
// without a ready pod, then those that have the least, so that a route has as few
// backends as can be.
func (t traffic) orderGivers(dead map[*unit]bool) []*unit {
	units := slices.DeleteFunc(slices.Clone(t.units), func(u *unit) bool { return !isLive(u) })
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

// computeRaises returns what each unit may be given, and the units without a ready pod.
func (t traffic) computeRaises(goal weights, partial bool) (raise weights, dead map[*unit]bool) {
	raise = weights{}
	dead, lost := t.findDeadUnits(goal)
	for _, u := range t.units {
		if !isLive(u) || goal[u] <= u.Weight {
			continue
		}
		room := max(0, min(goal[u], t.carriedWeight(u))-u.Weight)
		if !partial && room < goal[u]-u.Weight {
			room = 0
		}
		raise[u] = room
		lost -= min(lost, room)
	}
	for _, u := range t.units {
		if more := goal[u] - u.Weight - raise[u]; isLive(u) && more > 0 && lost > 0 && t.readyPods(u) > 0 && partial {
			more = min(more, lost)
			raise[u] += more
			lost -= more
		}
	}
	return raise, dead
}

// findDeadUnits returns the units that have no ready pod, and the weight that they are to
// give away.
func (t traffic) findDeadUnits(goal weights) (dead map[*unit]bool, lost int32) {
	dead = map[*unit]bool{}
	for _, u := range t.units {
		if w, seen := t.observedWorkload(u); isLive(u) && seen && w.Ready == 0 {
			dead[u] = true
			lost += max(0, u.Weight-goal[u])
		}
	}
	return dead, lost
}

// findShortage returns which unit has too few pods for its goal.
func (t traffic) findShortage(goal weights) verdict {
	for _, u := range t.units {
		if !isLive(u) || goal[u] <= u.Weight || t.carriedWeight(u) >= goal[u] {
			continue
		}
		w, need := t.observed[u.Workload], t.neededReplicas(goal[u])
		if w.Ready >= need {
			return wait(v1.WaitingForEndpoints, "%s has the %s that %d %% needs; gateways may not know %d of them yet", titleFor(u), pods(need, "ready "), goal[u], w.Settling)
		}
		return wait(v1.WaitingForPods, "%s has %d of the %s that %d %% needs%s", titleFor(u), w.Ready, pods(need, "ready "), goal[u], trouble(w))
	}
	return wait(v1.WaitingForPods, "the rest waits for pods of other versions")
}
