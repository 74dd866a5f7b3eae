package status

import (
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/printable"
)

// verdict is a health with its explanation.
type verdict struct {
	health       Health
	reason, next string
}

// evidence is the input of a verdict.
type evidence struct {
	item     *Item
	meta     *metav1.ObjectMeta
	observed int64
	// rollout is nil for modules. unused are the workloads without traffic now and
	// later: their pods do not change the verdict.
	rollout *Rollout
	unused  map[string]bool
}

// checks run in this order; the first that applies decides. An unobserved spec comes
// before the controller's report, and its final reports come before the pods.
var checks = []func(evidence) (verdict, bool){
	checkDeleting,
	checkNeverObserved,
	checkGeneration,
	checkRefused,
	checkStalled,
	checkRolledBack,
	checkProblems,
	checkDecommissioned,
	checkRollout,
	checkPods,
	checkServing,
	checkReconciling,
	checkReady,
}

// setVerdict sets health, reason and next.
func setVerdict(e evidence) {
	v := notReadyVerdict(e)
	for _, check := range checks {
		if found, ok := check(e); ok {
			v = found
			break
		}
	}
	e.item.Health, e.item.Reason, e.item.Next = v.health, v.reason, v.next
}

func checkDeleting(e evidence) (verdict, bool) {
	if e.meta.DeletionTimestamp == nil {
		return verdict{}, false
	}
	v := verdict{Deleting, "being deleted", "the cluster removes its children"}
	if len(e.meta.Finalizers) > 0 {
		v.next = "waiting for the finalizers " + strings.Join(e.meta.Finalizers, ", ")
	}
	return v, true
}

func checkNeverObserved(e evidence) (verdict, bool) {
	if e.observed != 0 || len(e.item.Conditions) > 0 || e.item.Phase != "" {
		return verdict{}, false
	}
	return verdict{Progressing, "not observed by a controller yet", "if this lasts, check that gati-webhook runs"}, true
}

func checkGeneration(e evidence) (verdict, bool) {
	if e.observed >= e.meta.Generation {
		return verdict{}, false
	}
	reason := fmt.Sprintf("the controller has not observed the latest spec (generation %d, observed %d)", e.meta.Generation, e.observed)
	return verdict{Progressing, reason, "if this lasts, check that gati-webhook runs"}, true
}

func checkRefused(e evidence) (verdict, bool) {
	for _, kind := range []string{v1.ConditionValid, v1.ConditionAccepted} {
		if c := e.condition(kind); c != nil && c.Status == metav1.ConditionFalse {
			return verdict{Invalid, c.sentence(), "change the spec and apply it again"}, true
		}
	}
	return verdict{}, false
}

// servesOn are the reasons of Stalled with which something serves: the checks after
// checkStalled have them.
var servesOn = map[v1.ConditionReason]bool{
	v1.ReasonRejected: true, v1.ReasonRolledBack: true, v1.ReasonBreaking: true, v1.ReasonTooManyShares: true, v1.ReasonPodsFailing: true,
}

func checkStalled(e evidence) (verdict, bool) {
	c := e.condition(v1.ConditionStalled)
	if c == nil || c.Status != metav1.ConditionTrue {
		if e.item.Phase != v1.PhaseFailed {
			return verdict{}, false
		}
		c = e.condition(v1.ConditionReady)
	} else if servesOn[v1.ConditionReason(c.Reason)] {
		return verdict{}, false
	}
	v := verdict{Failed, "the controller stopped", "the controller waits for a change"}
	if c != nil {
		v.reason = c.sentence()
	}
	if p := e.worstProblem(); p != nil {
		v.next = p.Next
	}
	if r := e.rollout; r != nil && r.Phase == v1.RolloutFailed {
		v.reason, v.next = r.Reason, r.Next
	}
	return v, true
}

// checkRolledBack applies when another version serves than the spec declares, unless
// the serving version has problems of its own.
func checkRolledBack(e evidence) (verdict, bool) {
	if e.rollout == nil || !e.rollout.Back || e.worstProblem() != nil {
		return verdict{}, false
	}
	return verdict{RolledBack, e.rollout.Reason, e.rollout.Next}, true
}

// checkRollout applies while a rollout runs. In place, the pods of the one workload
// decide instead.
func checkRollout(e evidence) (verdict, bool) {
	r := e.rollout
	switch {
	case r == nil || r.Reason == "":
		return verdict{}, false
	case r.isHeld():
		return verdict{Degraded, r.Reason, r.Next}, true
	case r.Waits:
		return verdict{Paused, r.Reason, r.Next}, true
	default:
		return verdict{Progressing, r.Reason, r.Next}, true
	}
}

func checkProblems(e evidence) (verdict, bool) {
	p := e.worstProblem()
	if p == nil {
		return verdict{}, false
	}
	return verdict{Degraded, e.describeReadiness() + "; " + p.Summary(), p.Next}, true
}

func checkDecommissioned(e evidence) (verdict, bool) {
	if e.item.Phase != v1.PhaseDecommissioned {
		return verdict{}, false
	}
	return verdict{Healthy, "no workload runs; none is wanted", ""}, true
}

// checkPods trusts the pods more than a Ready condition, which is as old as the
// controller's last reconciliation.
func checkPods(e evidence) (verdict, bool) {
	has, wants := e.countPods()
	missing := wants - has
	if missing <= 0 {
		return verdict{}, false
	}
	v := verdict{Progressing, e.describeReadiness(), fmt.Sprintf("waiting for %s to become ready", printable.Count(missing, "more pod"))}
	if len(e.item.Problems) > 0 {
		v.reason += "; " + e.item.Problems[0].Summary()
	}
	return v, true
}

// checkServing applies where something serves and the controller waits for a user: the
// checks before this one may know more.
func checkServing(e evidence) (verdict, bool) {
	c := e.condition(v1.ConditionStalled)
	if c == nil || c.Status != metav1.ConditionTrue {
		return verdict{}, false
	}
	switch v := (verdict{Degraded, c.sentence(), "the controller waits for a change"}); v1.ConditionReason(c.Reason) {
	case v1.ReasonBreaking:
		v.next = "change the spec, add transformers for both directions, or allow the version: docs/requests.md"
		return v, true
	case v1.ReasonRejected, v1.ReasonRolledBack:
		v.health = RolledBack
		return v, true
	default:
		return v, true
	}
}

func checkReconciling(e evidence) (verdict, bool) {
	c := e.condition(v1.ConditionReconciling)
	if c == nil || c.Status != metav1.ConditionTrue {
		return verdict{}, false
	}
	return verdict{Progressing, c.sentence(), "the controller continues automatically"}, true
}

func checkReady(e evidence) (verdict, bool) {
	c := e.condition(v1.ConditionReady)
	if c == nil || c.Status != metav1.ConditionTrue {
		return verdict{}, false
	}
	v := verdict{Healthy, e.describeReadiness(), ""}
	if r := e.rollout; r != nil && r.Frozen != nil {
		v.reason += "; paused by " + r.Frozen.By + ", no new rollout starts"
	}
	return v, true
}

// notReadyVerdict returns the verdict when no check applies.
func notReadyVerdict(e evidence) verdict {
	v := verdict{Progressing, "not reported ready yet", "the controller continues automatically"}
	if c := e.condition(v1.ConditionReady); c != nil && c.Message != "" {
		v.reason = c.sentence()
	}
	return v
}

func (e evidence) condition(kind string) *Condition { return e.item.condition(kind) }

func (item *Item) condition(kind string) *Condition {
	for i := range item.Conditions {
		if item.Conditions[i].Type == kind {
			return &item.Conditions[i]
		}
	}
	return nil
}

// worstProblem returns the first problem that needs an action.
func (e evidence) worstProblem() *Problem {
	for i := range e.item.Problems {
		if p := &e.item.Problems[i]; p.Blocking && !e.unused[p.Workload] {
			return p
		}
	}
	return nil
}

// countPods counts the pods of used workloads, ready and wanted.
func (e evidence) countPods() (has, wants int32) {
	has, wants = e.item.Ready, e.item.Desired
	for _, w := range e.item.Workloads {
		if e.unused[w.Name] {
			has, wants = has-w.Ready, wants-w.Desired
		}
	}
	return has, wants
}

func (e evidence) describeReadiness() string { return describeReadiness(e.countPods()) }
