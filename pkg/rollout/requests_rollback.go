package rollout

import (
	"fmt"
	"slices"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/remedy"
)

// rollback returns to another template and pins it. The declared one is rolled out
// like any other, without a pin.
func rollback(m *machine, r Request) (done, refused string) {
	to, refused := m.findRollbackTarget(r.Argument)
	if refused == "" {
		refused = m.refuseRollback(to)
	}
	if refused != "" {
		return "", refused
	}
	if to.SameTemplate(m.ro.Declared) {
		m.tryDeclared()
		return to.Title() + " is rolled out as the declared version, without a pin", ""
	}
	if m.isRollingOut() && to.SameTemplate(m.ro.Stable) {
		m.rejectUnit(m.ro.Target, "rolled back by "+r.By)
	}
	m.unfreezeRollout()
	m.ro.Pinned = &v1.PinnedStatus{UnitRef: *to, Deed: v1.Deed{By: r.By, At: *m.stampNow()}}
	return "rolls back to " + to.Title() + " and stays there until the spec changes", ""
}

// refuseRollback returns why a template cannot be returned to; empty when it can.
func (m *machine) refuseRollback(to *v1.UnitRef) string {
	what := to.Title()
	declared := to.SameTemplate(m.ro.Declared)
	switch {
	case to.SameTemplate(m.ro.Target):
		return what + " is already being rolled out"
	case m.isSettledOn(to), declared && m.ro.Pinned == nil && !m.isRollingOut() && to.SameTemplate(m.ro.Stable):
		return what + " already serves"
	case declared && m.isManual() && m.ro.Pinned == nil:
		return what + " is the declared version, whose share its record decides: " + remedy.SetTraffic.For(m.handler, to.Version, "100")
	case m.in.Kept != nil && !m.in.Kept[to.Revision]:
		return "the template of " + what + " is gone (versions.historyLimit)"
	case m.in.Records[to.Version].Inactive:
		return "the record of " + what + " says active: false"
	}
	if u := m.findTemplate(to.Version, to.RevisionNumber); u != nil && m.contracts.findBar(u) != "" {
		return what + " gets no weighted traffic: " + m.contracts.findBar(u)
	}
	return ""
}

// retry rolls the declared version out again after it failed, was rejected, or was
// left by a rollback.
func retry(m *machine, _ Request) (done, refused string) {
	d := m.ro.Declared
	what := d.Title()
	if m.isRollingOut() && d.SameTemplate(m.ro.Target) {
		return m.retryRunning(what)
	}
	why, pin := m.rejectionForRef(d), m.ro.Pinned
	switch {
	case m.contracts.holdFor(d.Version) != "":
		return "", heldPrefix(d) + m.contracts.holdFor(d.Version)
	case m.in.Records[d.Version].Inactive && m.in.Policy.Strategy != v1.StrategyRollingUpdate:
		return "", heldPrefix(d) + "its record says active: false"
	case why == "" && pin == nil && d.SameTemplate(m.ro.Stable):
		return "", what + " already serves"
	case why == "" && pin == nil:
		return "", what + " was neither rejected nor rolled back"
	}
	m.tryDeclared()
	if pin != nil {
		return fmt.Sprintf("%s is tried again; the rollback to %s by %s is over", what, pin.Title(), pin.By), ""
	}
	return fmt.Sprintf("%s is tried again; it was rejected: %s", what, why), ""
}

// retryRunning continues a rollout that has failed and stays where it is.
func (m *machine) retryRunning(what string) (done, refused string) {
	if m.ro.Phase != v1.RolloutFailed {
		return "", what + " is already being rolled out"
	}
	target := m.findUnit(m.ro.Target)
	m.continueRollout(target)
	return what + " is tried again at " + m.traffic.describeStep(target, m.currentStep().Weight), ""
}

// tryDeclared ends what keeps the declared version from being rolled out: its
// rejection, the pin of a rollback, a pause.
func (m *machine) tryDeclared() {
	m.unfreezeRollout()
	m.ro.Pinned = nil
	m.ro.Rejected = slices.DeleteFunc(m.ro.Rejected, func(r v1.RejectedStatus) bool { return r.SameTemplate(m.ro.Declared) })
}
