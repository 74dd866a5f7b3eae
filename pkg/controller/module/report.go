package module

import (
	"context"
	"fmt"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/controller/report"
	"gati.dev/gati/pkg/diagnose"
	"gati.dev/gati/pkg/observe"
	"gati.dev/gati/pkg/rollout"
	"gati.dev/gati/pkg/target"
)

// report writes observations and outcome to the status and Events, and returns when to
// reconcile again.
func (r *Reconciler) report(ctx context.Context, s *story, done target.Outcome) (ctrl.Result, error) {
	report.Notices(r.Events, s.Module, done.Notices)
	report.Writes(r.Events, s.Module, target.Describe(done.Writes))
	seen, err := r.gatherSeen(ctx, s, done)
	if err != nil {
		return ctrl.Result{}, err
	}
	before := s.Module.DeepCopy()
	now := r.Clock.Now()
	st := &s.Module.Status
	st.ObservedGeneration = s.Module.Generation
	result := report.Apply(&st.Conditions, seen, now)
	st.Phase, st.Health = result.Phase, result.Health
	st.Replicas, st.ReadyReplicas = report.Replicas(s.Workload.Deployment)
	st.UsedBy, st.UsedByMore = observe.FirstUsers(s.users)
	if len(s.Result.Errors) == 0 {
		st.Image, st.Revision = s.Running.Image, s.Running.Name
		st.Ports, st.Rejected = s.Ports, s.Rejected
		if seen.Settled() && seen.Progress.Ready > 0 {
			st.StableRevision = s.Running.Name
		}
		st.Ready = v1.FormatReady(seen.Progress.Ready, seen.Progress.Wanted)
		st.Selector = report.Selector(s.Workload.Deployment)
		st.Resolved = report.Resolved(s.Resolved.Scale, s.Running)
		st.Children = report.Children(done.Children)
	}
	report.CleanTexts(st)
	was := before.Status
	st.LastUpdated = report.Stamp(was.LastUpdated, was.Phase != st.Phase || was.Health != st.Health || was.Ready != st.Ready, metav1.NewTime(now))
	if !equality.Semantic.DeepEqual(was, *st) {
		patch := client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})
		if err := r.Client.Status().Patch(ctx, s.Module, patch, client.FieldOwner(v1.FieldManager)); err != nil {
			return ctrl.Result{}, err
		}
		report.Turned(r.Events, s.Module, was.Conditions, st.Conditions)
	}
	return ctrl.Result{RequeueAfter: r.lookAgain(s, done)}, nil
}

// lookAgain returns how long until the module is reconciled although no watch reports anything;
// zero for never.
func (r *Reconciler) lookAgain(s *story, done target.Outcome) time.Duration {
	switch {
	case len(s.Result.Errors) > 0:
		return 0
	case done.IsPartial:
		return nextStage
	case done.Again > 0:
		return done.Again
	case report.HasProblem(done.Children):
		return retryProblem
	default:
		return diagnose.LookAgain(s.pods, r.Clock.Now())
	}
}

// persist writes the decision before the first write that follows from it: a rejected
// revision, and a changed list of ports. The first list is reported with everything else.
// It returns the fence for these writes.
func (r *Reconciler) persist(ctx context.Context, s *story, todo work) (*target.Fence, error) {
	fence, st := target.NewFence(r.Live, s.Module), &s.Module.Status
	if len(s.Result.Errors) > 0 {
		return fence, nil
	}
	before := s.Module.DeepCopy()
	st.Rejected = s.Rejected
	if len(st.Ports) > 0 {
		st.Ports = s.Ports
	}
	report.CleanTexts(st)
	if todo.isEmpty() || equality.Semantic.DeepEqual(before.Status, *st) {
		*st = before.Status
		return fence, nil
	}
	patch := client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})
	if err := r.Client.Status().Patch(ctx, s.Module, patch, client.FieldOwner(v1.FieldManager)); err != nil {
		return nil, err
	}
	fence.MarkCurrent()
	return fence, nil
}

// gatherSeen gathers the input of the report.
func (r *Reconciler) gatherSeen(ctx context.Context, s *story, done target.Outcome) (report.Seen, error) {
	progress := s.Workload.Progress(s.Running.Name)
	d := s.Workload.Deployment
	report.NoteObstacles(done.Children, r.Clock.Now(), s.Workload.Obstacle())
	out := report.Seen{
		Generation: s.Module.Generation, Faults: s.Result.Errors, Children: done.Children,
		Progress: progress, DeadlinePassed: s.Workload.HasMissedDeadline(),
		Refused:  report.PodsRefused(d),
		Sentence: s.describeDecision(progress),
		Stable:   stablePods(d, progress, s.Module.Status.Conditions), IsRolling: report.IsRolling(d), IsInPlace: true,
	}
	if s.Rejected != nil {
		out.Waiting = &v1.WaitingStatus{Reason: v1.WaitingForSpecChange, Message: s.Rejected.Reason}
	}
	if d != nil && done.HasWritten("Deployment.apps", d.Name) || done.IsPartial || done.Again > 0 {
		// What was just written is not seen yet, and what failed is still to come.
		out.Progress.Complete, out.DeadlinePassed = false, false
	}
	if out.Settled() || len(out.Faults) > 0 {
		return out, nil
	}
	var err error
	s.pods, err = observe.ModulePods(ctx, r.Client, s.Module)
	out.Trouble = diagnose.Workload(d, s.pods, r.Clock.Now())
	out.IsFailing = diagnose.IsFailing(d, s.pods, r.Clock.Now())
	if out.Trouble != "" {
		out.Trouble += s.missingRuntime()
	}
	return out, err
}

// missingRuntime returns a sentence for pods in trouble that should run WebAssembly and
// have no RuntimeClass: it is the likely cause when the image has nothing else.
func (s *story) missingRuntime() string {
	if s.Module.Spec.Type != v1.ModuleWasm || s.Running.Template.Spec.RuntimeClassName != nil {
		return ""
	}
	return fmt.Sprintf(" These pods have no RuntimeClass: when they were first made, runtime-classes in the configuration of gati-webhook had no entry for the runtime %q. "+
		"If the image brings no WebAssembly runtime, have the operator add one, and then change spec.runtime or spec.image.", s.Module.Spec.Runtime)
}

func (s *story) describeDecision(progress rollout.Observation) string {
	text := rollout.DescribeProgress("The module", progress)
	if s.Rejected != nil {
		text = "The change was rolled back: " + strings.TrimSuffix(s.Rejected.Reason, ".") + ". Change the spec to try again. " + text
	}
	return text
}

// stablePods counts the pods of a module, nil before any has served. Where its
// Deployment is gone, one at least is missing.
func stablePods(d *appsv1.Deployment, of rollout.Observation, before []metav1.Condition) *report.Pods {
	was := meta.FindStatusCondition(before, v1.ConditionAvailable)
	hasServed := was != nil && was.Reason != string(v1.ReasonNothingServes)
	switch {
	case !hasServed && (d == nil || of.Ready == 0 && of.Wanted > 0):
		return nil
	case d == nil:
		return &report.Pods{Wanted: 1}
	default:
		return &report.Pods{Ready: of.Ready, Wanted: of.Wanted}
	}
}
