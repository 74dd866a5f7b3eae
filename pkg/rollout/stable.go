package rollout

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "gati.dev/gati/api/v1"
)

// startFirst starts the first version: it has all of the traffic, and no steps.
func (m *machine) startFirst() bool {
	d := m.findTemplate(m.in.Declared.Version, m.in.Declared.RevisionNumber)
	reviveUnit(d)
	d.Weight = 100
	m.ro.Mode = ""
	m.beginFirst(nil, d.Ref(), "")
	return true
}

// runStarting waits for the first pod. Until then another version simply takes the
// place of the first: nothing serves that could be harmed.
func (m *machine) runStarting() bool {
	stable := m.findUnit(m.ro.Stable)
	w, seen := m.observedWorkload(stable)
	if seen && w.Ready > 0 || m.in.Policy.Replicas == 0 {
		m.setPhase(v1.RolloutStable)
		return true
	}
	if wanted, _ := m.candidates.findWanted(); seen && !sameTemplate(wanted, stable) {
		why := "no pod of the version before is ready"
		if stable.Unserved {
			why = "no pod of the version before was ever ready"
		}
		stable.Weight = 0
		wanted.Weight = 100
		reviveUnit(wanted)
		m.beginFirst(stable.Ref(), wanted.Ref(), why)
		return true
	}
	since := m.ro.StartedAt
	if since != nil && w.ExposedAt.After(since.Time) {
		since = &metav1.Time{Time: w.ExposedAt}
	}
	m.stalled = w.Exists && m.elapsedSince(since) >= m.in.Policy.ProgressDeadline
	m.waitFor(m.startingPods(stable).untilTime(m.deadlineAfter(since, m.in.Policy.ProgressDeadline)))
	return false
}

// startingPods waits for the first ready pod of the first version.
func (m *machine) startingPods(stable *unit) verdict {
	w, _ := m.observedWorkload(stable)
	return waitFor(v1.WaitingForPods, "%s is starting: %d of %d pods ready%s", titleFor(stable), w.Ready, m.referenceReplicas(), describeTrouble(w))
}

// runStable keeps all traffic with the stable version until another one is wanted.
func (m *machine) runStable() bool {
	stable := m.findUnit(m.ro.Stable)
	if !m.hasWeights(allTo(stable)) {
		m.capacity.holdReference()
		if d := m.candidates.findSharing(); d != nil {
			m.adoptShare(d)
			m.recordEvent(machineName, "Started", m.ro.Stable.Title(), titleFor(d), "it goes on from the share that the version records gave it")
			return true
		}
		m.setPhase(v1.RolloutRollingBack)
		return true
	}
	if m.watchPromoted(stable) {
		return true
	}
	wanted, hold := m.candidates.findWanted()
	if m.candidates.waitsForTurn(wanted) {
		m.describeServing(stable, m.candidates.turnVerdict(wanted.Ref()))
		return false
	}
	target := wanted
	if m.in.Policy.Strategy == v1.StrategyRollingUpdate {
		if target = m.claimMain(wanted); target == nil {
			return false
		}
	}
	if target == stable {
		m.describeServing(stable, hold)
		return false
	}
	if why := m.rejectionFor(target); why != "" && m.ro.Pinned == nil {
		m.describeServing(stable, waitFor(v1.WaitingForSpecChange, "%s is not moved to the workload main until the spec changes: %s", titleFor(target), why))
		return false
	}
	if m.ro.Frozen != nil && m.ro.Pinned == nil {
		m.waitFor(waitFor(v1.WaitingForResume, "Paused by %s; %s is not rolled out yet", m.ro.Frozen.By, titleFor(target)))
		return false
	}
	reviveUnit(target)
	m.beginRollout(m.ro.Stable, target.Ref(), m.chooseMode())
	return true
}

// heldPrefix begins the message about a version that breaks callers.
func heldPrefix(ref *v1.UnitRef) string { return ref.Title() + " gets no weighted traffic: " }
