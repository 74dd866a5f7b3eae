package rollout

import (
	"fmt"

	v1 "gati.dev/gati/api/v1"
)

// checkReached reports whether callers reach the versions that have the traffic while no
// rollout runs: a pod of each can be reached, and every parent serves the route. What keeps
// callers away stalls at progressDeadline; there is nothing to go back to.
func (m *machine) checkReached() verdict {
	v := m.checkServingPods()
	switch {
	case !m.in.Policy.Gateway:
		m.ro.RefusedSince = nil
		return v
	case !v.isPass():
		return v
	}
	if v = m.gateway.checkRoute(); v.isPass() {
		return v
	}
	return v.withPrefix("%s", m.traffic.weightsLine())
}

// checkServingPods reports whether every version with traffic has a pod that can be reached.
func (m *machine) checkServingPods() verdict {
	for _, u := range m.units {
		w, seen := m.observedWorkload(u)
		switch {
		case !isLive(u) || u.Weight == 0:
			continue
		case !seen:
			m.lookAgainIn(retryInterval)
			return waitFor(v1.WaitingForObservation, "the workload %s of %s was not read yet", u.Workload, titleFor(u))
		case w.Ready > 0 || m.wantedPods(u) == 0:
			continue
		}
		m.pods.watchProgress(w, 0, false)
		m.stalled = m.pods.isOverdue(w) || m.stalled
		return m.pods.podsDeadline(waitFor(shortageReason(w), "%s%s", m.describeTraffic(u), describeTrouble(w)))
	}
	m.pods.watchProgress(Workload{}, 0, true)
	return passed
}

// wantedPods returns how many pods a unit should have, after this decision as well: its
// autoscaler may want more.
func (m *machine) wantedPods(u *unit) int32 {
	w, _ := m.observedWorkload(u)
	return max(w.Wanted, u.Replicas, m.capacity.minReplicas(u))
}

// describeTraffic has the share of a unit and its pods.
func (m *machine) describeTraffic(u *unit) string {
	w, _ := m.observedWorkload(u)
	share := "all traffic"
	if u.Weight < 100 {
		share = fmt.Sprintf("%d %% of the traffic", u.Weight)
	}
	return fmt.Sprintf("%s has %s and %d of %d pods ready", titleFor(u), share, w.Ready, m.wantedPods(u))
}

// describeServing has the stable version as the reason, and notes what keeps the
// declared one from serving.
func (m *machine) describeServing(stable *unit, hold verdict) {
	w, _ := m.observedWorkload(stable)
	if wanted := m.wantedPods(stable); wanted == 0 {
		m.setReason("Version %s has all traffic and is scaled to 0 pods.", titleFor(stable))
	} else {
		m.setReason("Version %s serves all traffic with %d of %d pods ready.", titleFor(stable), w.Ready, wanted)
	}
	if v := m.checkReached(); !v.isPass() {
		m.reportUnreached(v)
	} else if v := m.gateway.checkRoute(); !v.isPass() {
		m.addNote("The pods are behind: %s.", v.waiting.Message)
	}
	if !hold.isPass() {
		m.noteWaiting(hold)
	}
}
