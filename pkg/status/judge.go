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
	blocked,
	decommissioned,
	incomplete,
	reconciling,
	ready,
}

// judge sets health, reason and next.
func (b *builder) judge(item *Item, o *metav1.ObjectMeta, observed int64) {
	e := evidence{item, o, observed}
	v := notReady(e)
	for _, check := range checks {
		if found, ok := check(e); ok {
			v = found
			break
		}
	}
	item.Health, item.Reason, item.Next = v.health, v.reason, v.next
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
	return v, true
}

func blocked(e evidence) (verdict, bool) {
	p := e.worst()
	if p == nil {
		return verdict{}, false
	}
	return verdict{Degraded, e.item.readiness() + "; " + p.Summary(), p.Next}, true
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
	missing := e.item.Desired - e.item.Ready
	if missing <= 0 {
		return verdict{}, false
	}
	v := verdict{Progressing, e.item.readiness(), fmt.Sprintf("waits for %s to become ready", count(missing, "more pod"))}
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
	return verdict{Healthy, e.item.readiness(), ""}, true
}

// notReady is the verdict when no check has found anything.
func notReady(e evidence) verdict {
	v := verdict{Progressing, "the controller has not reported it ready", "the controller goes on by itself"}
	if c := e.condition(v1.ConditionReady); c != nil && c.Message != "" {
		v.reason = c.sentence()
	}
	return v
}

func (e evidence) condition(kind string) *Condition {
	for i := range e.item.Conditions {
		if e.item.Conditions[i].Type == kind {
			return &e.item.Conditions[i]
		}
	}
	return nil
}

// worst returns the first problem that somebody has to act on.
func (e evidence) worst() *Problem {
	if len(e.item.Problems) > 0 && e.item.Problems[0].Blocking {
		return &e.item.Problems[0]
	}
	return nil
}
