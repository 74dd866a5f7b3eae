package status

import (
	"cmp"
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
	// health is the one in the status.
	health Health
	// rollout is nil for modules. unused are the workloads without traffic now and
	// later: their pods do not change the verdict.
	rollout *Rollout
	unused  map[string]bool
}

// setVerdict sets health, reason and next: the controller's verdict, overlaid with newer
// observations. These are a deletion or a spec that the controller has not handled, and
// pods that were read after its last reconciliation. Nothing else judges an object again.
func setVerdict(e evidence) {
	v := e.reportedVerdict()
	for _, overlay := range []func(evidence, verdict) (verdict, bool){overlayDeletion, overlaySpec, overlayProblems, overlayPods} {
		if found, ok := overlay(e, v); ok {
			v = found
			break
		}
	}
	e.item.Health, e.item.Reason, e.item.Next = v.health, v.reason, v.next
}

func overlayDeletion(e evidence, _ verdict) (verdict, bool) {
	if e.meta.DeletionTimestamp == nil {
		return verdict{}, false
	}
	v := verdict{Deleting, "being deleted", "the cluster removes its children"}
	if len(e.meta.Finalizers) > 0 {
		v.next = "waiting for the finalizers " + strings.Join(e.meta.Finalizers, ", ")
	}
	return v, true
}

func overlaySpec(e evidence, _ verdict) (verdict, bool) {
	v := verdict{Progressing, "not observed by a controller yet", "if this lasts, check that gati-webhook runs"}
	if e.observed != 0 || len(e.item.Conditions) > 0 || e.item.Phase != "" {
		v.reason = fmt.Sprintf("the controller has not observed the latest spec (generation %d, observed %d)", e.meta.Generation, e.observed)
	}
	return v, e.observed < e.meta.Generation
}

// overlayProblems finds a pod that needs an action. A verdict that asks for one already
// stays.
func overlayProblems(e evidence, reported verdict) (verdict, bool) {
	p := e.worstProblem()
	if p == nil || Severity(reported.health) > Severity(Degraded) {
		return verdict{}, false
	}
	return verdict{Degraded, e.describeReadiness() + "; " + p.Summary(), p.Next}, true
}

// overlayPods finds pods that are not ready. Those of a rollout that waits are its own
// matter.
func overlayPods(e evidence, reported verdict) (verdict, bool) {
	has, wants := e.countPods()
	isRollout := e.rollout != nil && e.rollout.Reason != ""
	if has >= wants || isRollout || Severity(reported.health) > Severity(Progressing) {
		return verdict{}, false
	}
	v := verdict{Progressing, e.describeReadiness(), fmt.Sprintf("waiting for %s to become ready", printable.Count(wants-has, "more pod"))}
	if len(e.item.Problems) > 0 {
		v.reason += "; " + e.item.Problems[0].Summary()
	}
	return v, true
}

// reportedVerdict returns the verdict in the status. Its reason is the wait of the rollout,
// else the message of the true condition.
func (e evidence) reportedVerdict() verdict {
	v := verdict{health: e.health, next: "the controller waits for a change"}
	if Severity(v.health) < 0 {
		v.health = e.healthByConditions()
	}
	r, c := e.rollout, e.decidingCondition()
	switch {
	case v.health == Healthy:
		v.reason, v.next = e.describeReadiness(), ""
		if r != nil && r.Frozen != nil {
			v.reason += "; paused by " + r.Frozen.By + ", no new rollout starts"
		}
		return v
	case r != nil && r.explains(v.health):
		return verdict{v.health, r.Reason, r.Next}
	case v.health == Invalid:
		v.next = "change the spec and apply it again"
	case v.health == Failed:
		v.reason = "the controller stopped"
		if p := e.worstProblem(); p != nil {
			v.next = p.Next
		}
	case c != nil && v1.ConditionReason(c.Reason) == v1.ReasonBreaking:
		v.next = "change the spec, add transformers for both directions, or allow the version: " + pages + "requests.md"
	case !NeedsAttention(v.health):
		v.reason, v.next = "not reported ready yet", "the controller continues automatically"
	}
	if c != nil {
		v.reason = c.messageOrReason()
	}
	return v
}

// explains reports whether the wait of the rollout is the reason of a health.
func (r *Rollout) explains(health Health) bool {
	return r.Reason != "" && health != Invalid && (health != Failed || r.Phase == v1.RolloutFailed)
}

// decidingCondition returns the condition that explains a verdict: one that refuses the
// spec, the one of Stalled and Reconciling that is true, or Ready where it has a message.
func (e evidence) decidingCondition() *Condition {
	if c := e.item.findRefusal(); c != nil {
		return c
	}
	for _, kind := range []string{v1.ConditionStalled, v1.ConditionReconciling} {
		if e.item.isTrue(kind) {
			return e.item.findCondition(kind)
		}
	}
	if c := e.item.findCondition(v1.ConditionReady); c != nil && c.Message != "" {
		return c
	}
	return nil
}

// serving are the verdicts on an object that serves and is stalled, by reason. With any
// other reason it has failed.
var serving = map[v1.ConditionReason]Health{
	v1.ReasonRejected: RolledBack, v1.ReasonRolledBack: RolledBack,
	v1.ReasonBreaking: Degraded, v1.ReasonTooManyShares: Degraded, v1.ReasonPodsFailing: Degraded, v1.ReasonUnreachable: Degraded,
}

// healthByConditions returns the health of a status without one, as other releases of the
// controller may write it.
func (e evidence) healthByConditions() Health {
	stalled, reconciling := e.item.findCondition(v1.ConditionStalled), e.item.findCondition(v1.ConditionReconciling)
	switch {
	case e.item.findRefusal() != nil:
		return Invalid
	case e.item.isTrue(v1.ConditionStalled):
		return cmp.Or(serving[v1.ConditionReason(stalled.Reason)], Failed)
	case e.item.isTrue(v1.ConditionReconciling) && v1.ConditionReason(reconciling.Reason) == v1.ReasonPaused:
		return Paused
	case e.item.Phase == v1.PhaseFailed:
		return Failed
	case e.item.isTrue(v1.ConditionReady) && !e.item.isTrue(v1.ConditionReconciling), e.item.Phase == v1.PhaseDecommissioned:
		return Healthy
	default:
		return Progressing
	}
}

func (item *Item) findCondition(kind string) *Condition {
	for i := range item.Conditions {
		if item.Conditions[i].Type == kind {
			return &item.Conditions[i]
		}
	}
	return nil
}

// isTrue reports whether a condition is true.
func (item *Item) isTrue(kind string) bool {
	c := item.findCondition(kind)
	return c != nil && c.Status == metav1.ConditionTrue
}

// findRefusal returns the condition that refuses the spec, nil where it is accepted.
func (item *Item) findRefusal() *Condition {
	for _, kind := range []string{v1.ConditionValid, v1.ConditionAccepted} {
		if c := item.findCondition(kind); c != nil && c.Status == metav1.ConditionFalse {
			return c
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
