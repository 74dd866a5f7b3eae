package rollout

import (
	v1 "gati.dev/gati/api/v1"
)

// runManual gives every version the share that its record asks for. A new
// template of a version takes its share over once it is ready.
func (m *machine) runManual() bool {
	stable := m.findUnit(m.ro.Stable)
	if stable == nil {
		return m.startFirst()
	}
	if m.ro.Target != nil && m.ro.Mode != v1.RolloutAtOnce {
		m.recordEvent(machineName, "Superseded", titleFor(m.findUnit(m.ro.Target)), "", "the strategy is Manual now: the weights stay until records say otherwise")
		m.leaveTarget()
	}
	pending := m.handOverVersion()
	goal := m.shares.recordedWeights()
	m.shares.prepared = goal
	if t := m.findUnit(m.ro.Target); t != nil {
		m.shares.prepared = weights{}
		for u, w := range goal {
			m.shares.prepared[u] = w
		}
		m.shares.prepared[t] = goal[m.servingUnit(t.Version)]
	}
	m.applyShares(goal, pending)
	m.shares.reportCrowd()
	return false
}

// applyShares moves the weights to the shares of the records.
func (m *machine) applyShares(goal weights, pending verdict) {
	stable := m.findUnit(m.ro.Stable)
	goal, hold := m.contracts.limitToReported(goal)
	if !m.hasWeights(goal) {
		m.capacity.holdReference()
		if m.ro.Frozen == nil || m.ro.Pinned != nil {
			before := m.traffic.weightsLine()
			m.moveWeights(goal, m.ro.Pinned != nil)
			m.gateway.exposeWeights()
			if now := m.traffic.weightsLine(); now != before {
				m.recordEvent(machineName, "Weights", before, now, m.shares.describeShares())
			}
		}
	}
	if m.ro.Phase == v1.RolloutStarting && stable.Weight > 0 && m.readyPods(stable) == 0 && m.referenceReplicas() > 0 {
		m.waitFor(m.startingPods(stable))
		return
	}
	v := m.checkShares(goal, pending)
	if v.isPass() && !hold.isPass() {
		v = hold.withPrefix("%s so far", m.traffic.weightsLine())
	}
	if !v.isPass() {
		m.setPhase(v1.RolloutProgressing)
		m.waitFor(v)
		return
	}
	m.setPhase(v1.RolloutStable)
	m.electStable()
	if v := m.checkReached(); !v.isPass() {
		m.reportUnreached(v)
		return
	}
	m.setReason("%s, %s.", m.traffic.weightsLine(), m.shares.describeShares())
	m.shares.noteUnmetShares()
	if v := m.candidates.findShareHold(); !v.isPass() {
		m.noteWaiting(v)
	} else if !pending.isPass() {
		m.noteWaiting(pending)
	}
}

// checkShares returns why the weights are not the requested ones.
func (m *machine) checkShares(goal weights, pending verdict) verdict {
	v := m.gateway.checkRoute()
	switch {
	case !m.hasWeights(goal) && m.ro.Frozen != nil && m.ro.Pinned == nil:
		return waitFor(v1.WaitingForResume, "Paused by %s at %s", m.ro.Frozen.By, m.traffic.weightsLine())
	case !m.hasWeights(goal):
		m.lookAgainIn(retryInterval)
		return m.traffic.findShortage(goal).withPrefix("%s so far", m.traffic.weightsLine())
	case !v.isPass():
		return v.withPrefix("%s", m.traffic.weightsLine())
	case !pending.isPass() && pending.waiting.Reason != v1.WaitingForTurn:
		return pending.withPrefix("%s", m.traffic.weightsLine())
	}
	return passed
}

// handOverVersion replaces the template of a declared version by another one, and returns
// the wait.
func (m *machine) handOverVersion() verdict {
	d := m.findTemplate(m.in.Declared.Version, m.in.Declared.RevisionNumber)
	from := m.servingUnit(d.Version)
	if t := m.findUnit(m.ro.Target); t != nil && t != d {
		m.dropTarget()
	}
	if from == nil || from == d {
		m.dropTarget()
		return passed
	}
	if why := m.rejectionFor(d); why != "" {
		m.dropTarget()
		return passed
	}
	if m.ro.Frozen != nil {
		return waitFor(v1.WaitingForResume, "Paused by %s; %s is not rolled out yet", m.ro.Frozen.By, titleFor(d))
	}
	if v := m.candidates.turnVerdict(d.Ref()); m.ro.Target == nil && !v.isPass() {
		return v
	}
	if m.ro.Target == nil {
		m.beginRollout(from.Ref(), d.Ref(), v1.RolloutAtOnce)
	}
	step := Step{Weight: from.Weight}
	if why := m.gatekeeper.findFailure(d, step); why != "" {
		m.failRollout(from.Ref(), why)
		m.dropTarget()
		return passed
	}
	if v := m.pods.awaitPods(d, step); !v.isPass() {
		return v
	}
	m.completeRollout(from.Ref(), "all of its pods are ready")
	return passed
}

// electStable makes the version with the most traffic stable.
func (r *roster) electStable() {
	stable, most := r.findUnit(r.ro.Stable), r.findHeaviest()
	if most != nil && most.Weight > stable.Weight {
		r.ro.Previous, r.ro.Stable = r.ro.Stable, most.Ref()
	}
}
