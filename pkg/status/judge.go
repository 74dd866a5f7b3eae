package status

import (
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "gati.dev/gati/api/v1"
)

// verdict is a health with its explanation.
type verdict struct {
	health       Health
	reason, next string
}

// evidence is all that a verdict rests on.
type evidence struct {
	item     *Item
	meta     *metav1.ObjectMeta
	observed int64
	// rollout is that of a handler that has one. aside are the workloads that take
	// no traffic and get none: how they are says nothing of the handler.
	rollout *Rollout
	aside   map[string]bool
}

// checks are asked in this order; the first that has something to say decides.
// What the controller has not seen yet comes before what it says, and what it
// says is final before what the pods show.
var checks = []func(evidence) (verdict, bool){
	deleting,
	neverSeen,
	behind,
	refused,
	stalled,
	wentBack,
	blocked,
	decommissioned,
	rolling,
	incomplete,
	reconciling,
	ready,
}

// judge sets health, reason and next.
func judge(e evidence) {
	v := notReady(e)
	for _, check := range checks {
		if found, ok := check(e); ok {
			v = found
			break
		}
	}
	e.item.Health, e.item.Reason, e.item.Next = v.health, v.reason, v.next
}

func deleting(e evidence) (verdict, bool) {
	if e.meta.DeletionTimestamp == nil {
		return verdict{}, false
	}
	v := verdict{Deleting, "it is being deleted", "the cluster removes its children"}
	if len(e.meta.Finalizers) > 0 {
		v.next = "waits for the finalizers " + strings.Join(e.meta.Finalizers, ", ")
	}
	return v, true
}

func neverSeen(e evidence) (verdict, bool) {
	if e.observed != 0 || len(e.item.Conditions) > 0 || e.item.Phase != "" {
		return verdict{}, false
	}
	return verdict{Progressing, "no controller has looked at it yet", "if this lasts, check that gati-webhook runs"}, true
}

func behind(e evidence) (verdict, bool) {
	if e.observed >= e.meta.Generation {
		return verdict{}, false
	}
	reason := fmt.Sprintf("the controller has not seen the latest spec (generation %d, seen %d)", e.meta.Generation, e.observed)
	return verdict{Progressing, reason, "if this lasts, check that gati-webhook runs"}, true
}

func refused(e evidence) (verdict, bool) {
	for _, kind := range []string{v1.ConditionValid, v1.ConditionAccepted} {
		if c := e.condition(kind); c != nil && c.Status == metav1.ConditionFalse {
			return verdict{Failed, c.sentence(), "change the spec and apply it again"}, true
		}
	}
	return verdict{}, false
}

func stalled(e evidence) (verdict, bool) {
	c := e.condition(v1.ConditionStalled)
	if c == nil || c.Status != metav1.ConditionTrue {
		if e.item.Phase != v1.PhaseFailed {
			return verdict{}, false
		}
		c = e.condition(v1.ConditionReady)
	}
	v := verdict{Failed, "the controller has given up", "the controller waits until this is changed"}
	if c != nil {
		v.reason = c.sentence()
	}
	if p := e.worst(); p != nil {
		v.next = p.Next
	}
	if r := e.rollout; r != nil && r.Phase == v1.RolloutFailed {
		v.reason, v.next = r.Reason, r.Next
	}
	return v, true
}

// wentBack speaks when what serves is not what the spec declares. It does not
// cover up that what serves is not well either.
func wentBack(e evidence) (verdict, bool) {
	if e.rollout == nil || !e.rollout.Back || e.worst() != nil {
		return verdict{}, false
	}
	return verdict{RolledBack, e.rollout.Reason, e.rollout.Next}, true
}

// rolling speaks while a version takes the place of another. Where that is pods
// of one workload, they speak for themselves.
func rolling(e evidence) (verdict, bool) {
	r := e.rollout
	switch {
	case r == nil || r.Reason == "":
		return verdict{}, false
	case r.Waits:
		return verdict{Paused, r.Reason, r.Next}, true
	default:
		return verdict{Progressing, r.Reason, r.Next}, true
	}
}

func blocked(e evidence) (verdict, bool) {
	p := e.worst()
	if p == nil {
		return verdict{}, false
	}
	return verdict{Degraded, e.readiness() + "; " + p.Summary(), p.Next}, true
}

func decommissioned(e evidence) (verdict, bool) {
	if e.item.Phase != v1.PhaseDecommissioned {
		return verdict{}, false
	}
	return verdict{Healthy, "nothing runs, because nothing should", ""}, true
}

// incomplete trusts the pods more than a Ready condition: the condition is as
// old as the controller's last look.
func incomplete(e evidence) (verdict, bool) {
	has, wants := e.pods()
	missing := wants - has
	if missing <= 0 {
		return verdict{}, false
	}
	v := verdict{Progressing, e.readiness(), fmt.Sprintf("waits for %s to become ready", count(missing, "more pod"))}
	if len(e.item.Problems) > 0 {
		v.reason += "; " + e.item.Problems[0].Summary()
	}
	return v, true
}

func reconciling(e evidence) (verdict, bool) {
	c := e.condition(v1.ConditionReconciling)
	if c == nil || c.Status != metav1.ConditionTrue {
		return verdict{}, false
	}
	return verdict{Progressing, c.sentence(), "the controller goes on by itself"}, true
}

func ready(e evidence) (verdict, bool) {
	c := e.condition(v1.ConditionReady)
	if c == nil || c.Status != metav1.ConditionTrue {
		return verdict{}, false
	}
	v := verdict{Healthy, e.readiness(), ""}
	if r := e.rollout; r != nil && r.Frozen != nil {
		v.reason += "; paused by " + r.Frozen.By + ", so nothing new is rolled out"
	}
	return v, true
}

// notReady is the verdict when no check has found anything.
func notReady(e evidence) verdict {
	v := verdict{Progressing, "the controller has not reported it ready", "the controller goes on by itself"}
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

// worst returns the first problem that somebody has to act on.
func (e evidence) worst() *Problem {
	for i := range e.item.Problems {
		if p := &e.item.Problems[i]; p.Blocking && !e.aside[p.Workload] {
			return p
		}
	}
	return nil
}

// pods counts those that matter, ready and asked for.
func (e evidence) pods() (has, wants int32) {
	has, wants = e.item.Ready, e.item.Desired
	for _, w := range e.item.Workloads {
		if e.aside[w.Name] {
			has, wants = has-w.Ready, wants-w.Desired
		}
	}
	return has, wants
}

func (e evidence) readiness() string { return readiness(e.pods()) }
