package rollout

import (
	"slices"

	v1 "gati.dev/gati/api/v1"
)

// maxRejected is how many rejections are remembered; the CRD takes no more.
const maxRejected = 16

// runRollingBack moves traffic to the stable version as fast as its pods are ready.
// It never waits for the gateway before it writes.
func (m *machine) runRollingBack() bool {
	stable := m.findUnit(m.ro.Stable)
	goal := allTo(stable)
	m.moveWeights(goal, true)
	m.gateway.exposeWeights()
	if m.hasWeights(goal) {
		stable.SupersededAt = nil
	}
	v := m.gateway.checkRoute()
	restored := m.hasWeights(goal) && (v.isPass() || m.ro.Pinned != nil)
	stuck := !m.hasWeights(goal) || !m.in.Policy.Gateway && !restored
	if wanted, _ := m.candidates.findWanted(); stuck && m.ro.Frozen == nil && !sameTemplate(wanted, stable) && m.isDown(stable) && m.in.Policy.Strategy == v1.StrategyCanary {
		reviveUnit(wanted) // There is nothing to go back to, and so no use for steps.
		m.beginRollout(m.ro.Stable, wanted.Ref(), v1.RolloutWithPods)
		return true
	}
	switch {
	case !m.hasWeights(goal):
		m.lookAgainIn(retryInterval)
		w, _ := m.observedWorkload(stable)
		m.waitFor(m.awaitStable(w, waitFor(shortageReason(w), "rolling back to %s (%d %% so far, %d of %d pods ready)%s", titleFor(stable), stable.Weight, w.Ready, m.referenceReplicas(), m.rollbackCause())))
		return false
	case !restored:
		m.waitFor(v.withPrefix("rolled back to %s%s", titleFor(stable), m.rollbackCause()))
		return false
	}
	m.setPhase(v1.RolloutStable)
	m.resetStep()
	return true
}

// awaitStable adds the deadline for the pods of the stable version, and stalls after it:
// there is nothing else to go back to.
func (m *machine) awaitStable(w Workload, v verdict) verdict {
	m.pods.watchProgress(w, w.Ready, w.Ready >= m.referenceReplicas())
	m.stalled = m.pods.isOverdue(w) || m.stalled
	return m.pods.podsDeadline(v)
}

// rollbackCause returns the failure, or the user who aborted, as the end of a sentence. A
// superseded rollout has none: the spec may have changed again.
func (m *machine) rollbackCause() string {
	for _, e := range slices.Backward(m.ro.History) {
		switch e.What {
		case "RolledBack", "Interrupted":
			return ": " + e.Why
		case "Started", "Completed", "Superseded":
			return ""
		}
	}
	return ""
}

// isDown reports whether a unit should have pods, and none is ready.
func (r *roster) isDown(u *unit) bool {
	w, seen := r.observedWorkload(u)
	return seen && w.Ready == 0 && r.referenceReplicas() > 0
}

// rejectUnit remembers that a unit is not tried again until the spec changes. A
// rollback to it is over.
func (m *machine) rejectUnit(ref *v1.UnitRef, why string) {
	if p := m.ro.Pinned; p != nil && p.SameTemplate(ref) {
		m.ro.Pinned = nil
	}
	if m.rejectionForRef(ref) != "" {
		return
	}
	m.ro.Rejected = append(m.ro.Rejected, v1.RejectedStatus{UnitRef: *ref, Reason: why, At: *m.stampNow()})
	m.ro.Rejected = m.ro.Rejected[max(0, len(m.ro.Rejected)-maxRejected):]
}
