package rollout

import (
	"cmp"
	"slices"

	v1 "gati.dev/gati/api/v1"
)

// traffic computes pods for weights where a gateway moves the traffic, and weights for pods
// where their numbers do. It changes nothing.
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
	return min(100, int32(int64(settledPods(w))*100/int64(r)))
}

// neededReplicas is the floor of a version: the pods that its weight needs, at least one.
func (t traffic) neededReplicas(weight int32) int32 {
	r := t.referenceReplicas()
	if r == 0 {
		return 0
	}
	return max(1, ceilPods(weight, r))
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

// nextWeights returns the weights that bring a goal as close as ready pods carry. A weight
// is never raised beyond them, unless it comes from a unit that has no ready pod at
// all and goes to one that has some. partial lets a unit have a part of its goal.
func (t traffic) nextWeights(goal weights, partial bool) weights {
	raise, dead := t.computeRaises(goal, partial)
	next, total := weights{}, int32(0)
	for u, n := range raise {
		next[u] = u.Weight + n
		total += n
	}
	for _, u := range t.orderGivers(dead) {
		if n := min(total, max(0, u.Weight-goal[u])); n > 0 {
			next[u] = u.Weight - n
			total -= n
		}
	}
	if t.exceedsShares(next) {
		return nil // More pods that are ready let it move by more at once.
	}
	return next
}

// exceedsShares reports whether more versions would share the traffic than a route has
// room for.
func (t traffic) exceedsShares(next weights) bool {
	n := 0
	for _, u := range t.units {
		w, moves := next[u]
		if isLive(u) && (w > 0 || !moves && u.Weight > 0) {
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
			return waitFor(v1.WaitingForEndpoints, "%s has the %s that %d %% needs; gateways may not know %d of them yet", titleFor(u), countPods(need, "ready "), goal[u], w.Settling)
		}
		return waitFor(v1.WaitingForPods, "%s has %d of the %s that %d %% needs%s", titleFor(u), w.Ready, countPods(need, "ready "), goal[u], describeTrouble(w))
	}
	return waitFor(v1.WaitingForPods, "the rest waits for pods of other versions")
}

// neededReadyPods is how many pods of the target a step needs.
func (t traffic) neededReadyPods(step Step) int32 {
	if t.policy.Gateway {
		return t.neededReplicas(step.Weight)
	}
	goal := weights{t.findUnit(t.ro.Stable): 100 - step.Weight, t.findUnit(t.ro.Target): step.Weight}
	return t.apportionReplicas(goal)[t.findUnit(t.ro.Target)]
}

// listRealShares returns the share of each live version that its weight comes to.
func (t traffic) listRealShares() []Share {
	now := weights{}
	for _, u := range t.units {
		if u.Weight > 0 {
			now[u] = u.Weight
		}
	}
	real, out := t.realShares(now), t.listShares()
	for i := range out {
		out[i].Percent = 0
		for u, percent := range real {
			if u.Version == out[i].Version {
				out[i].Percent += percent
			}
		}
	}
	return out
}
