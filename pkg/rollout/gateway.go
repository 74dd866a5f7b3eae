package rollout

import (
	v1 "gati.dev/gati/api/v1"
)

// gateway compares the weights that were decided with what serves them: the route and the
// answers of its parents, or where pods divide the traffic, their numbers.
type gateway struct {
	*roster
	*clock
	*journal
	traffic traffic
	// before is the state as it was read, route the observed HTTPRoute.
	before State
	route  Route
}

// checkRoute reports whether every parent of the route has accepted the weights as they
// are decided. Whoever refuses, does not claim the route or does not answer stalls the
// handler at progressDeadline.
func (g gateway) checkRoute() verdict {
	check := g.checkParents
	if !g.policy.Gateway {
		check = g.traffic.checkSplit
	}
	v := check()
	if !v.isPass() && v.waiting.Reason != v1.WaitingForRoute {
		g.lookAgainIn(retryInterval)
	}
	switch {
	case v.isPass():
		g.ro.RefusedSince = nil
		g.acceptWeights()
	case !g.policy.Gateway:
		g.ro.RefusedSince = nil
	default:
		return g.awaitAnswer(v)
	}
	return v
}

// awaitAnswer adds the deadline of the answer to the last write, and stalls after it.
func (g gateway) awaitAnswer(v verdict) verdict {
	if g.ro.RefusedSince == nil || g.hasMovedWeights() {
		g.ro.RefusedSince = g.stampNow() // Each write has the whole deadline.
	}
	length := g.policy.ProgressDeadline
	g.stalled = g.stalled || g.timeLeft(g.ro.RefusedSince, length) == 0
	return v.untilTime(g.deadlineAfter(g.ro.RefusedSince, length))
}

// checkParents returns the verdict of the parents: the reason is the gateway that lags,
// or the route that one refuses.
func (g gateway) checkParents() verdict {
	r := g.route
	if !r.Exists || !g.routeHasWeights() || g.hasMovedWeights() {
		return waitFor(v1.WaitingForGateway, "the route does not show the weights yet")
	}
	if len(r.Parents) == 0 {
		return waitFor(v1.WaitingForRoute, "no parent of the route is known")
	}
	generation := max(r.Generation, g.ro.RouteGeneration)
	for _, p := range r.Parents {
		switch {
		case !p.Claimed:
			return waitFor(v1.WaitingForRoute, "no controller has claimed the route for %s; check that this parent exists and that a controller serves it", p.Name)
		case p.ObservedGeneration < generation:
			return waitFor(v1.WaitingForGateway, "%s has observed generation %d of the route, not %d", p.Name, p.ObservedGeneration, generation)
		case !p.Accepted:
			return waitFor(v1.WaitingForRoute, "%s does not accept the route: %s; change spec.route, or what %[1]s allows", p.Name, p.Message)
		case !p.ResolvedRefs:
			return waitFor(v1.WaitingForRoute, "%s cannot resolve the backends of the route: %s; check that it may use their Services", p.Name, p.Message)
		}
	}
	return passed
}

// routeHasWeights reports whether the route as read has the weights as decided.
func (g gateway) routeHasWeights() bool {
	known := map[string]bool{}
	for _, u := range g.units {
		if isLive(u) {
			known[u.Workload] = true
			if g.route.Weights[u.Workload] != u.Weight {
				return false
			}
		}
	}
	for workload, weight := range g.route.Weights {
		if weight > 0 && !known[workload] {
			return false
		}
	}
	return true
}

// hasMovedWeights reports whether a weight is another one than before this decision. What was
// read of the route then speaks of an earlier write, even where it looks the
// same: the write in between may not have been seen.
func (g gateway) hasMovedWeights() bool {
	if g.before.Rollout == nil {
		return false
	}
	before := map[string]int32{}
	for _, v := range g.before.Versions {
		if v.Workload != "" {
			before[v.Workload] += v.Weight
		}
	}
	for _, u := range g.units {
		if isLive(u) && u.Weight != before[u.Workload] {
			return true
		}
	}
	return false
}

// acceptWeights notes that the gateway serves the decided weights.
func (g gateway) acceptWeights() {
	for _, u := range g.units {
		if !isLive(u) {
			continue
		}
		if g.policy.Gateway && g.ro.Mode != v1.RolloutInPlace {
			weight := u.Weight
			u.AcceptedWeight, u.ExposedWeight = &weight, u.Weight
		}
	}
}

// exposeWeights notes that decided weights may be served from now on; without a gateway,
// the weights that follow from the pods.
func (g gateway) exposeWeights() {
	var all int32
	for _, u := range g.units {
		if isLive(u) {
			all += g.readyPods(u)
		}
	}
	for _, u := range g.units {
		if !isLive(u) || u.Workload == v1.WorkloadMain && g.ro.Mode == v1.RolloutInPlace {
			continue
		}
		u.ExposedWeight = max(u.ExposedWeight, u.Weight)
		if g.policy.Gateway {
			continue
		}
		var real int32
		if all > 0 {
			real = g.readyPods(u) * 100 / all
		}
		u.AcceptedWeight = &real
		if w, seen := g.observedWorkload(u); seen {
			u.ExposedWeight = max(u.Weight, real)
			if w.Ready > 0 && u.ExposedWeight == 0 {
				u.ExposedWeight = 1
			}
		}
	}
}

// observeRoute updates the state from observations, before any decision.
func (g gateway) observeRoute() {
	for _, u := range g.units {
		g.releaseWorkload(u)
		w, seen := g.observedWorkload(u)
		if seen && (w.Ready > 0 || w.Traffic.Requests > 0 || w.Traffic.InFlight > 0) {
			u.Unserved = false
		}
	}
	g.observeAccepted()
}

// releaseWorkload forgets the workload of a decommissioned unit once it is gone.
func (g gateway) releaseWorkload(u *unit) {
	if w, seen := g.observedWorkload(u); u.Phase == v1.VersionDecommissioned && seen && !w.Exists {
		u.Workload = ""
	}
}

// observeAccepted records which of the decided weights the gateway has accepted.
func (g gateway) observeAccepted() {
	g.exposeWeights()
	if g.ro.Mode != v1.RolloutInPlace && g.policy.Gateway {
		if g.checkParents().isPass() {
			g.acceptWeights()
		}
	}
}
