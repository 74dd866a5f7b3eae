package module

import (
	"context"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/controller/report"
	"gati.dev/gati/pkg/observe"
	"gati.dev/gati/pkg/rollout"
	"gati.dev/gati/pkg/status"
)

// report writes what was seen into the status, and tells of changes in Events.
func (r *Reconciler) report(ctx context.Context, s *story) error {
	seen, err := r.seen(ctx, s)
	if err != nil {
		return err
	}
	before := s.module.DeepCopy()
	now := r.Clock.Now()
	st := &s.module.Status
	st.ObservedGeneration = s.module.Generation
	st.Phase = report.Apply(&st.Conditions, seen, now)
	st.Replicas, st.ReadyReplicas = report.Replicas(s.workload.Deployment)
	if len(s.result.Errors) == 0 {
		st.Image, st.Revision = s.running.Image, s.running.Name
		st.Ready = report.Ready(seen.Progress.Ready, seen.Progress.Wanted)
		st.Selector = report.Selector(s.workload.Deployment)
		st.Resolved = report.Resolved(s.resolved.Scale, s.running)
		st.Children = report.Children(s.outcome.Children)
	}
	was := before.Status
	st.LastUpdated = report.Stamp(was.LastUpdated, was.Phase != st.Phase || was.Ready != st.Ready, metav1.NewTime(now))
	if equality.Semantic.DeepEqual(was, *st) {
		return nil
	}
	patch := client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})
	if err := r.Client.Status().Patch(ctx, s.module, patch, client.FieldOwner(v1.FieldManager)); err != nil {
		return err
	}
	report.Turned(r.Events, s.module, was.Conditions, st.Conditions)
	return nil
}

// seen gathers what there is to report.
func (r *Reconciler) seen(ctx context.Context, s *story) (report.Seen, error) {
	progress := observe.Progress(s.workload.Deployment, s.running.Name)
	out := report.Seen{
		Generation: s.module.Generation, Faults: s.result.Errors, Children: s.outcome.Children,
		Progress: progress, DeadlinePassed: report.DeadlinePassed(s.workload.Deployment),
		Refused:  report.PodsRefused(s.workload.Deployment),
		Sentence: rollout.Sentence("The module", progress),
	}
	if len(s.outcome.Writes) > 0 {
		// What was just written is not seen yet.
		out.Progress.Complete, out.DeadlinePassed = false, false
	}
	if out.Settled() || len(out.Faults) > 0 {
		return out, nil
	}
	var err error
	s.pods, err = observe.Pods(ctx, r.Client, s.module.Namespace, v1.LabelModule, s.module.Name)
	out.Trouble = status.Trouble(s.workload.Deployment, s.pods, r.Clock.Now())
	return out, err
}
