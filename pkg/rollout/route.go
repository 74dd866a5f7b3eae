package rollout

import (
	v1 "gati.dev/gati/api/v1"
)

// checkRoute reports whether every parent of the route has accepted the weights as they
// are decided. Whoever refuses, does not claim the route or does not answer stalls the
// rollout at its deadline. deadline reports whether that counts now.
func (m *machine) checkRoute(deadline bool) verdict {
	check := m.checkParents
	if !m.in.Policy.Gateway {
		check = m.checkSplit
	}
	v := check()
	if !v.pass() && v.waiting.Reason != v1.WaitingForRoute {
		m.lookAgainIn(retryInterval)
	}
	switch {
	case v.pass():
		m.ro.RefusedSince = nil
		m.acceptWeights()
	case !m.in.Policy.Gateway:
		m.ro.RefusedSince = nil
	case deadline:
		return m.awaitAnswer(v)
	}
	return v
}

// awaitAnswer adds the deadline of the answer to the last write, and stalls after it.
func (m *machine) awaitAnswer(v verdict) verdict {
	if m.ro.RefusedSince == nil || m.hasMovedWeights() {
		m.ro.RefusedSince = m.stampNow() // Each write has the whole deadline.
	}
	length := m.in.Policy.ProgressDeadline
	m.stalled = m.stalled || m.timeLeft(m.ro.RefusedSince, length) == 0
	return v.until(m.deadlineAfter(m.ro.RefusedSince, length))
}

// checkParents returns the verdict of the parents: the reason is the gateway that lags,
// or the route that one refuses.
func (m *machine) checkParents() verdict {
	r := m.in.Route
	if !r.Read || !r.Exists || !m.routeHasWeights() || m.hasMovedWeights() {
		return wait(v1.WaitingForGateway, "the route does not show the weights yet")
	}
	if len(r.Parents) == 0 {
		return wait(v1.WaitingForRoute, "no parent of the route is known")
	}
	generation := max(r.Generation, m.ro.RouteGeneration)
	for _, p := range r.Parents {
		switch {
		case !p.Claimed:
			return wait(v1.WaitingForRoute, "no controller has claimed the route for %s", p.Name)
		case p.ObservedGeneration < generation:
			return wait(v1.WaitingForGateway, "%s has observed generation %d of the route, not %d", p.Name, p.ObservedGeneration, generation)
		case !p.Accepted:
			return wait(v1.WaitingForRoute, "%s does not accept the route: %s", p.Name, p.Message)
		case !p.ResolvedRefs:
			return wait(v1.WaitingForRoute, "%s cannot resolve the backends of the route: %s", p.Name, p.Message)
		}
	}
	return passed
}

// routeHasWeights reports whether the route as read has the weights as decided.
func (m *machine) routeHasWeights() bool {
	known := map[string]bool{}
	for _, u := range m.units {
		if isLive(u) {
			known[u.Workload] = true
			if m.in.Route.Weights[u.Workload] != u.Weight {
				return false
			}
		}
	}
	for workload, weight := range m.in.Route.Weights {
		if weight > 0 && !known[workload] {
			return false
		}
	}
	return true
}

// hasMovedWeights reports whether a weight is another one than before this decision. What was
// read of the route then speaks of an earlier write, even where it looks the
// same: the write in between may not have been seen.
func (m *machine) hasMovedWeights() bool {
	if m.in.State.Rollout == nil {
		return false
	}
	before := map[string]int32{}
	for _, v := range m.in.State.Versions {
		if v.Workload != "" {
			before[v.Workload] += v.Weight
		}
	}
	for _, u := range m.units {
		if isLive(u) && u.Weight != before[u.Workload] {
			return true
		}
	}
	return false
}

// acceptWeights notes that the gateway serves the decided weights.
func (m *machine) acceptWeights() {
	for _, u := range m.units {
		if !isLive(u) {
			continue
		}
		if m.in.Policy.Gateway {
			weight := u.Weight
			u.AcceptedWeight, u.ExposedWeight = &weight, u.Weight
		}
	}
}

// exposeWeights notes that a weight that was decided may be served from now on, and
// without a gateway what the pods come to.
func (m *machine) exposeWeights() {
	var all int32
	for _, u := range m.units {
		if isLive(u) {
			all += m.readyPods(u)
		}
	}
	for _, u := range m.units {
		if !isLive(u) || u.Workload == v1.WorkloadMain && m.ro.Mode == v1.RolloutInPlace {
			continue
		}
		u.ExposedWeight = max(u.ExposedWeight, u.Weight)
		if m.in.Policy.Gateway {
			continue
		}
		var real int32
		if all > 0 {
			real = m.readyPods(u) * 100 / all
		}
		u.AcceptedWeight = &real
		if w, seen := m.observedWorkload(u); seen {
			u.ExposedWeight = max(u.Weight, real)
			if w.Ready > 0 && u.ExposedWeight == 0 {
				u.ExposedWeight = 1
			}
		}
	}
}

// observeRoute takes in what was seen before anything is decided.
func (m *machine) observeRoute() {
	for _, u := range m.units {
		m.releaseWorkload(u)
		w, seen := m.observedWorkload(u)
		if seen && (w.Ready > 0 || w.Traffic.Requests > 0 || w.Traffic.InFlight > 0) {
			u.Unserved = false
		}
	}
	m.observeAccepted()
	m.raiseReference()
}

// releaseWorkload forgets the workload of a decommissioned unit once it is gone.
func (m *machine) releaseWorkload(u *unit) {
	if w, seen := m.observedWorkload(u); u.Phase == v1.VersionDecommissioned && seen && !w.Exists {
		u.Workload = ""
	}
}

// observeAccepted records which of the decided weights the gateway has accepted.
func (m *machine) observeAccepted() {
	m.exposeWeights()
	if m.ro.Mode != v1.RolloutInPlace && m.in.Policy.Gateway {
		if m.checkParents().pass() {
			m.acceptWeights()
		}
	}
}
