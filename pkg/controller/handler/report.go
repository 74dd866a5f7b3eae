package handler

import (
	"context"
	"fmt"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/controller/report"
	"gati.dev/gati/pkg/diagnose"
	"gati.dev/gati/pkg/rollout"
)

// report writes what was seen into the status, and tells of changes in Events. What may
// wait is written with the next change, or when its time is over.
func (r *Reconciler) report(ctx context.Context, s *story) error {
	before := s.Handler.DeepCopy()
	r.fill(s)
	st, was := &s.Handler.Status, &before.Status
	planChanged := s.notePlan(st)
	if len(s.Errors) == 0 {
		st.Children = report.Children(s.outcome.Children)
		r.noteRoute(s)
	}
	if s.announced != nil && s.applied != nil {
		r.reportPlan(s.Handler, planChanged)
		planChanged = ""
	}
	hasNews := !s.isTold && len(s.Errors) == 0 && len(s.Decision.Events) > 0
	if !hasNews && !s.isFirstUnwritten() && equality.Semantic.DeepEqual(withoutTraces(was, st), st) {
		r.memory.noteWhole(s.Handler)
		return nil
	}
	if !hasNews && s.canWait(was, st, r.Clock.Now()) {
		if s.unwritten = r.patienceLeft(s); s.unwritten > 0 {
			return nil
		}
	}
	s.forgetUnwritten(before)
	if err := r.patchStatus(ctx, s.Handler, before); err != nil {
		return err
	}
	r.memory.noteWhole(s.Handler)
	r.tellDecision(s, was.Conditions)
	s.traceReady(was.Conditions, r.Clock.Now())
	r.reportPlan(s.Handler, planChanged)
	return nil
}

// canWait reports whether the change of a status may wait for others.
func (s *story) canWait(was, is *v1.GatiHandlerStatus, now time.Time) bool {
	if s.isFirstUnwritten() {
		isOnItsWay := !meta.IsStatusConditionTrue(is.Conditions, v1.ConditionReady) && !meta.IsStatusConditionTrue(is.Conditions, v1.ConditionStalled)
		return isOnItsWay && !report.HasProblem(s.outcome.Children) && (s.isAboutToServe() || s.isLate(now))
	}
	return canWait(was, is) || canWaitAtStart(was, is)
}

// patienceLeft returns for how long a change of the status may wait for others. It counts from
// when the change was first put off: decisions that are written all the time, as while a
// version drains, carry no sentence along. Where gateways are about to know the pods of the
// next weight, the decision about that weight carries it along, and where only endpoints are
// missing for a first version, that it is Ready.
func (r *Reconciler) patienceLeft(s *story) time.Duration {
	now := r.Clock.Now()
	putOff := now.Sub(r.memory.notePutOff(s.Handler, now))
	switch left := max(0, patience-putOff); {
	case left > 0:
		return left
	case s.isStarting() && !s.isFirstUnwritten() && s.isAboutToServe():
		return max(0, startPatience-putOff)
	case putOff < 2*patience:
		return s.endpointsLeft(now)
	default:
		return 0
	}
}

// isStarting reports whether a first version has not served yet.
func (s *story) isStarting() bool {
	ro := s.Decision.Rollout
	return ro != nil && ro.Phase == v1.RolloutStarting
}

// endpointsLeft returns how long until gateways know the endpoints that the rollout waits for;
// zero where it waits for none.
func (s *story) endpointsLeft(now time.Time) time.Duration {
	ro := s.Decision.Rollout
	if ro == nil || ro.Target == nil || ro.WaitingFor == nil || ro.WaitingFor.Reason != v1.WaitingForEndpoints {
		return 0
	}
	w := s.Workloads[ro.Target.Workload]
	if w == nil {
		return 0
	}
	_, left := w.Settling(now)
	return left
}

// traceReady records how long the pods took, when the handler has become ready. now is the
// end, for the times of a status are whole seconds: pods that took less would have taken
// none. A handler whose first status is Ready took since it was created.
func (s *story) traceReady(before []metav1.Condition, now time.Time) {
	if !meta.IsStatusConditionTrue(s.Handler.Status.Conditions, v1.ConditionReady) {
		return
	}
	since := s.Handler.CreationTimestamp
	if was := meta.FindStatusCondition(before, v1.ConditionReady); was != nil {
		if was.Status != metav1.ConditionFalse {
			return
		}
		since = was.LastTransitionTime
	}
	s.work.Ready(since.Time, now, s.Handler.Status.Ready)
}

// fill writes into the status of the handler what was seen and decided.
func (r *Reconciler) fill(s *story) {
	seen, now, st := r.seen(s), r.Clock.Now(), &s.Handler.Status
	was := *st
	st.ObservedGeneration = s.Handler.Generation
	result := report.Apply(&st.Conditions, seen, now)
	st.Phase, st.Health = result.Phase, result.Health
	report.Measured(&st.Conditions, s.isMeasured(), s.Decision.Unmeasured, s.Handler.Generation, now)
	report.Compatible(&st.Conditions, s.compatibility(), s.Handler.Generation, now)
	report.Modules(&st.Conditions, s.Handler.Spec.Modules, s.missing, s.Handler.Generation, now)
	st.Replicas, st.ReadyReplicas = report.Replicas(s.deployment())
	st.Route = s.claims
	if len(s.Errors) == 0 {
		st.Version, st.Image = s.Running.Version, s.Running.Image
		s.takeDecision(st)
		st.Serving, st.Weights = s.serving(seen.Stable), s.weights()
		st.Ready = report.Ready(seen.Progress.Ready, seen.Progress.Wanted)
		st.Selector = report.Selector(s.plannedDeployment())
		st.Resolved = report.Resolved(s.Resolved.Scale, s.Running)
	}
	changed := was.Phase != st.Phase || was.Health != st.Health || was.Version != st.Version || was.Ready != st.Ready
	st.LastUpdated = report.Stamp(was.LastUpdated, changed, metav1.NewTime(now))
}

// noteRoute remembers the generation of the route that was written, in the status for
// the next process.
func (r *Reconciler) noteRoute(s *story) {
	for _, c := range s.outcome.Children {
		if ro := s.Handler.Status.Rollout; ro != nil && c.Kind == routeKind && c.Generation > 0 {
			ro.RouteGeneration = c.Generation
			r.memory.noteRoute(s.Handler, c.Generation)
		}
	}
}

// seen gathers what there is to report.
func (r *Reconciler) seen(s *story) report.Seen {
	out := report.Seen{
		Generation: s.Handler.Generation, Faults: s.Errors, Children: s.outcome.Children,
		Progress: s.progress(), DeadlinePassed: s.hasMissedDeadline(),
		Refused:   report.PodsRefused(s.deployment()),
		Sentence:  s.sentence(),
		Stable:    s.stablePods(),
		IsRolling: s.isRolling(), IsInPlace: s.IsAlone(), Halted: s.Decision.Stalled,
		IsBreaking: s.isRefused(),
	}
	if ro := s.Decision.Rollout; ro != nil {
		out.Waiting, out.IsPinned = ro.WaitingFor, ro.Pinned != nil
	}
	if s.hasWrittenPods() || s.hasUnwrittenPods() {
		// What was just written is not seen yet, and what failed is still to come:
		// what was seen before it no longer counts as done.
		out.Progress.Complete, out.DeadlinePassed = false, false
	}
	if out.Settled() || len(out.Faults) > 0 {
		return out
	}
	if w := s.stable(); w != nil {
		out.Trouble = diagnose.Workload(w.Deployment, w.Pods, r.Clock.Now())
		out.IsFailing = diagnose.IsFailing(w.Deployment, w.Pods, r.Clock.Now())
	}
	return out
}

// sentence describes the decision and its reason, and why versions stay.
func (s *story) sentence() string {
	out := append([]string{s.Decision.Reason}, s.Decision.Notes...)
	if len(s.Unpinned) > 0 {
		out = append(out, fmt.Sprintf("No header leads to %s: an HTTPRoute has room for %d pinned versions; a tag keeps the pin of a version.", strings.Join(s.Unpinned, ", "), rollout.MaxPins))
	}
	if s.contested != "" {
		out = append(out, fmt.Sprintf("Another namespace has a route for %s, too; the gateway decides which of them serves it.", s.contested))
	}
	return strings.Join(out, " ")
}

func (s *story) hasMissedDeadline() bool {
	w := s.stable()
	return w != nil && w.HasMissedDeadline()
}

// deployment is that of the stable workload, nil where there is none yet.
func (s *story) deployment() *appsv1.Deployment {
	if w := s.stable(); w != nil {
		return w.Deployment
	}
	return nil
}

// plannedDeployment returns the Deployment of the stable workload, as it is about to be where
// there is none yet.
func (s *story) plannedDeployment() *appsv1.Deployment {
	if live := s.deployment(); live != nil {
		return live
	}
	for _, child := range s.Children {
		if d, ok := child.(*appsv1.Deployment); ok && d.Labels[v1.LabelWorkload] == s.stableWorkload() {
			return d
		}
	}
	return nil
}

// patchStatus writes the status if the object is still the one that was read.
func (r *Reconciler) patchStatus(ctx context.Context, h, before *v1.GatiHandler) error {
	patch := client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})
	err := r.Client.Status().Patch(ctx, h, patch, client.FieldOwner(v1.FieldManager))
	if err == nil {
		r.memory.noteStatus(h, r.Clock.Now())
	}
	return err
}
