package rollout

import (
	"cmp"
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "gati.dev/gati/api/v1"
)

// isInPlace reports whether the strategy RollingUpdate runs in its one workload, and no
// other has traffic any more.
func (r *roster) isInPlace() bool {
	if r.policy.Strategy != v1.StrategyRollingUpdate {
		return false
	}
	for _, u := range r.units {
		if isLive(u) && u.Workload != v1.WorkloadMain && (u.Weight > 0 || u.ExposedWeight > 0 || r.isUnit(u, r.ro.Target)) {
			return false
		}
	}
	if s := r.findUnit(r.ro.Stable); s != nil && s.Workload != v1.WorkloadMain {
		return false
	}
	return r.findUnit(r.ro.Target) == nil || r.ro.Mode == v1.RolloutInPlace
}

// runInPlace replaces the pods of the one workload: the unit to run has all of the
// traffic, and one before it is over once no pod of it is left.
func (m *machine) runInPlace() {
	m.ro.Mode, m.ro.WaitingFor = v1.RolloutInPlace, nil
	m.judgeInPlace()
	run, hold := m.candidates.unitToRun()
	current := m.ro.Target
	if current == nil {
		current = m.ro.Stable
	}
	if current == nil || !current.SameTemplate(run) {
		m.replaceInPlace(current, run)
		m.watchInPlace()
	}
	seen := m.observedMain(run)
	if seen.Complete && m.ro.Phase != v1.RolloutStable {
		if m.ro.Target != nil {
			m.completeRollout(m.ro.Stable, "every pod runs it")
		}
		m.setPhase(v1.RolloutStable)
	}
	if m.ro.Phase == v1.RolloutStable {
		m.ro.ReferenceReplicas = nil
	}
	m.assignMain(run, seen.Complete)
	m.describeInPlace(run, seen, hold)
}

// observedMain returns the observations of the workload main for a template. Those of
// another template are no progress.
func (m *machine) observedMain(run *v1.UnitRef) Workload {
	w := m.in.Workloads[v1.WorkloadMain]
	if w.Unit.Revision != "" && w.Unit.Revision != run.Revision {
		w.Updated, w.Complete = 0, false
	}
	return w
}

// watchInPlace notes since when the pods make no progress, and reports whether there are
// any to be seen. At rest too: a workload that grows may meet a quota. Pods that are
// complete then are checkReached's, and while none is ready, pods that are made are no
// progress, as there.
func (m *machine) watchInPlace() (Workload, bool) {
	run := cmp.Or(m.ro.Target, m.ro.Stable)
	if _, seen := m.in.Workloads[v1.WorkloadMain]; !seen || run == nil || m.ro.Phase == v1.RolloutStarting {
		return Workload{}, false
	}
	w := m.observedMain(run)
	progress := w.Updated + w.Ready
	if m.ro.Phase == v1.RolloutStable {
		if w.Complete {
			return w, false
		}
		if w.Ready == 0 {
			progress = 0
		}
	}
	m.pods.watchProgress(w, progress, w.Complete)
	return w, true
}

// judgeInPlace gives up a template whose pods had their time: it is rejected, and the one
// before runs again.
func (m *machine) judgeInPlace() {
	w, seen := m.watchInPlace()
	switch {
	case !seen || !m.pods.isOverdue(w):
	case m.ro.Target == nil:
		m.stalled = true // There is nothing to go back to.
	default:
		m.failRollout(m.ro.Stable, fmt.Sprintf("%d of %d pods updated; %s%s", w.Updated, w.Wanted, m.pods.noProgress(), describeTrouble(w)))
	}
}

// assignMain gives the workload main to the unit to run, and ends those before it.
func (m *machine) assignMain(run *v1.UnitRef, complete bool) {
	own := m.inPlaceUnit(run, m.stampNow())
	for _, u := range m.units {
		switch {
		case u == own:
			m.activateUnit(u, run)
		case u.Workload == v1.WorkloadMain || u.Workload == "":
			supersedeInPlace(u, complete)
		default:
			u.Weight = 0
		}
	}
}

// describeInPlace has the pods as the reason, and notes what keeps the declared
// version from being rolled out.
func (m *machine) describeInPlace(run *v1.UnitRef, seen Workload, hold verdict) {
	m.setReason("%s", DescribeProgress("Version "+run.Version, seen.Observation))
	paused := m.ro.Frozen != nil
	isDown := m.ro.Phase == v1.RolloutStable && seen.Ready == 0
	switch {
	case !hold.isPass():
		m.noteWaiting(hold)
	case paused && !seen.Complete:
		m.noteWaiting(waitFor(v1.WaitingForResume, "Paused by %s", m.ro.Frozen.By))
	case !seen.Complete && !isDown:
		m.ro.WaitingFor = m.pods.podsDeadline(waitFor(shortageReason(seen), "%s", strings.TrimSuffix(m.reason, "."))).waiting
	default:
		if v := m.checkReached(); !v.isPass() {
			m.reportUnreached(v)
		}
		if paused {
			m.addNote("Paused by %s.", m.ro.Frozen.By)
		}
	}
}

// replaceInPlace begins to replace the pods.
func (m *machine) replaceInPlace(current, run *v1.UnitRef) {
	m.resetStep()
	switch {
	case current == nil, m.ro.Phase == v1.RolloutStarting:
		m.beginFirst(current, run, "")
	case run.SameTemplate(m.ro.Stable):
		m.beginReturn(current, run)
	default:
		m.beginRollout(current, run, v1.RolloutInPlace)
	}
}

// inPlaceUnit returns the unit that runs in place: that of the version, whatever template
// it had. It makes one where there is none.
func (r *roster) inPlaceUnit(run *v1.UnitRef, at *metav1.Time) *unit {
	var own *unit
	rank := func(u *unit) int {
		switch {
		case u.Workload == v1.WorkloadMain && u.Weight > 0:
			return 3
		case u.Workload == v1.WorkloadMain:
			return 2
		case u.RevisionNumber == run.RevisionNumber:
			return 1
		default:
			return 0
		}
	}
	for _, u := range r.units {
		here := u.Workload == v1.WorkloadMain || u.Workload == ""
		if u.Version == run.Version && here && (own == nil || rank(u) > rank(own)) {
			own = u
		}
	}
	if own == nil {
		own = r.addUnit(Unit{Version: run.Version, Revision: run.Revision, RevisionNumber: run.RevisionNumber}, at)
	}
	return own
}

func (m *machine) activateUnit(u *unit, run *v1.UnitRef) {
	if u.Phase != v1.VersionActive {
		u.DecommissionedBy, u.DrainingSince, u.SupersededAt = "", nil, nil
	}
	u.Phase, u.Weight, u.Workload = v1.VersionActive, 100, v1.WorkloadMain
	u.Revision, u.RevisionNumber, u.Unserved = run.Revision, run.RevisionNumber, false
	u.ExposedWeight = 100
	u.Replicas = m.in.Policy.Replicas
	if m.in.Policy.Autoscaled {
		u.Replicas = m.in.Policy.Min
	}
}

// supersedeInPlace ends a unit whose pods another one's take the place of.
func supersedeInPlace(u *unit, over bool) {
	u.Weight, u.ExposedWeight, u.Replicas, u.AcceptedWeight = 0, 0, 0, nil
	if over || u.Phase == v1.VersionDecommissioned {
		u.Phase, u.Workload = v1.VersionDecommissioned, ""
		return
	}
	u.Phase = v1.VersionDraining
}

// DescribeProgress describes the progress of a workload. what names it: "Version v2".
func DescribeProgress(what string, s Observation) string {
	switch {
	case s.Wanted == 0 && s.Complete:
		return what + " is scaled to 0 pods."
	case s.Complete && s.Ready >= s.Wanted:
		return fmt.Sprintf("%s serves with %d of %d pods ready.", what, s.Ready, s.Wanted)
	case s.Complete:
		return fmt.Sprintf("%s has %d of %d pods ready.", what, s.Ready, s.Wanted)
	default:
		return fmt.Sprintf("%s is rolling out: %d of %d pods updated, %d ready.", what, s.Updated, s.Wanted, s.Ready)
	}
}
