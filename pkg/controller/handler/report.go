package handler

import (
	"context"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/controller/report"
	"gati.dev/gati/pkg/observe"
	"gati.dev/gati/pkg/status"
)

// report writes what was seen into the status, and tells of changes in Events.
func (r *Reconciler) report(ctx context.Context, s *story) error {
	seen, err := r.seen(ctx, s)
	if err != nil {
		return err
	}
	before := s.handler.DeepCopy()
	now := r.Clock.Now()
	st := &s.handler.Status
	st.ObservedGeneration = s.handler.Generation
	st.Phase = report.Apply(&st.Conditions, seen, now)
	st.Replicas, st.ReadyReplicas = report.Replicas(s.workload.Deployment)
	if len(s.result.Errors) == 0 {
		st.Version, st.Image = s.running.Version, s.running.Image
		st.Versions = s.decision.Versions
		st.Ready = report.Ready(seen.Progress.Ready, seen.Progress.Wanted)
		st.Selector = report.Selector(s.workload.Deployment)
		st.Resolved = report.Resolved(s.resolved.Scale, s.resolved.Spec.Resources, s.resolved.Derived)
		st.Children = report.Children(s.outcome.Children)
	}
	was := before.Status
	changed := was.Phase != st.Phase || was.Version != st.Version || was.Ready != st.Ready
	st.LastUpdated = report.Stamp(was.LastUpdated, changed, metav1.NewTime(now))
	if equality.Semantic.DeepEqual(was, *st) {
		return nil
	}
	if err := r.patchStatus(ctx, s.handler, before); err != nil {
		return err
	}
	report.Turned(r.Events, s.handler, was.Conditions, st.Conditions)
	return nil
}

// seen gathers what there is to report.
func (r *Reconciler) seen(ctx context.Context, s *story) (report.Seen, error) {
	out := report.Seen{
		Generation: s.handler.Generation, Faults: s.result.Errors, Children: s.outcome.Children,
		Progress: s.progress(), DeadlinePassed: report.DeadlinePassed(s.workload.Deployment),
		Refused:  report.PodsRefused(s.workload.Deployment),
		Sentence: s.decision.Reason,
	}
	if len(s.outcome.Writes) > 0 {
		// What was just written is not seen yet: what was seen before it no longer
		// counts as done.
		out.Progress.Complete, out.DeadlinePassed = false, false
	}
	if out.Settled() || len(out.Faults) > 0 {
		return out, nil
	}
	pods, err := observe.Pods(ctx, r.Client, s.handler.Namespace, v1.LabelHandler, s.handler.Name)
	out.Trouble = status.Trouble(s.workload.Deployment, pods, r.Clock.Now())
	return out, err
}

// patchStatus writes the status if the object is still the one that was read.
func (r *Reconciler) patchStatus(ctx context.Context, h, before *v1.GatiHandler) error {
	patch := client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})
	return r.Client.Status().Patch(ctx, h, patch, client.FieldOwner(v1.FieldManager))
}
