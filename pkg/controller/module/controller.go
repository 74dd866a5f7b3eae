// Package module makes GatiModules real, in the order of package handler without
// versions: observe → plan → act → report.
//
// It must not know what the children look like (pkg/expand) or how they are
// written (pkg/target).
package module

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/controller/finalize"
	"gati.dev/gati/pkg/controller/report"
	"gati.dev/gati/pkg/controller/revision"
	"gati.dev/gati/pkg/controller/trigger"
	"gati.dev/gati/pkg/decide"
	"gati.dev/gati/pkg/diagnose"
	"gati.dev/gati/pkg/expand"
	"gati.dev/gati/pkg/facts"
	kedav1alpha1 "gati.dev/gati/pkg/keda/v1alpha1"
	"gati.dev/gati/pkg/observe"
	"gati.dev/gati/pkg/target"
)

const (
	// retryProblem is how soon a problem that only others can solve is looked at
	// again.
	retryProblem = time.Minute
	// historyLimit is how many revisions are kept beside the one that runs.
	historyLimit = 10
)

// Reconciler keeps the children of GatiModules as their specs ask for.
type Reconciler struct {
	// Client reads from the cache and writes, Live asks the API server.
	Client client.Client
	Live   client.Reader
	// Targets are where the children may go; facts decide which of them.
	Targets target.Set
	Facts   *observe.Facts
	Clock   clock.PassiveClock
	Events  events.EventRecorder

	late trigger.Late
}

// story is one reconciliation: what is known, what was planned, what came of it.
type story struct {
	decide.ModuleStory
	decide.PlannedModule
	facts facts.Facts
	fence *target.Fence
	// target is where the children go.
	target  target.Target
	outcome target.Outcome
	// users are the handlers that name the module.
	users []string
	// pods are those of a module that has not settled.
	pods []corev1.Pod
}

// Reconcile brings one module a step closer to its spec.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var m v1.GatiModule
	if err := r.Client.Get(ctx, req.NamespacedName, &m); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	ending, err := r.Facts.Ending(ctx, m.Namespace)
	if err != nil {
		return ctrl.Result{}, err
	}
	if m.DeletionTimestamp != nil {
		return r.finalizer().Delete(ctx, &m, ending)
	}
	if ending {
		return ctrl.Result{}, nil
	}
	if err := r.late.Ensure(&kedav1alpha1.ScaledObject{}, r.Facts.ScaledObjectServed); err != nil {
		return ctrl.Result{}, fmt.Errorf("watch ScaledObjects: %w", err)
	}
	s, err := r.observe(ctx, &m)
	if err != nil {
		return ctrl.Result{}, fmt.Errorf("observe: %w", err)
	}
	if len(s.Result.Errors) > 0 {
		return ctrl.Result{}, r.report(ctx, s)
	}
	s.PlannedModule = decide.PlanModule(&s.ModuleStory, r.Clock.Now())
	if err := r.chooseTarget(ctx, s); err != nil {
		return ctrl.Result{}, err
	}
	if err := r.persist(ctx, s); err != nil {
		return ctrl.Result{}, err
	}
	acted := r.act(ctx, s)
	if trigger.IsQuiet(ctx, acted) {
		return ctrl.Result{}, acted
	}
	if err := errors.Join(acted, r.report(ctx, s)); err != nil {
		return ctrl.Result{}, err
	}
	if again := s.outcome.Again; again > 0 {
		return ctrl.Result{RequeueAfter: again}, nil
	}
	if report.HasProblem(s.outcome.Children) {
		return ctrl.Result{RequeueAfter: retryProblem}, nil
	}
	return ctrl.Result{RequeueAfter: diagnose.LookAgain(s.pods, r.Clock.Now())}, nil
}

// observe reads all that the plan rests on.
func (r *Reconciler) observe(ctx context.Context, m *v1.GatiModule) (*story, error) {
	f, err := r.Facts.For(ctx, m.Namespace)
	if err != nil {
		return nil, err
	}
	s := &story{facts: f, fence: target.NewFence(r.Live, m)}
	if s.ModuleStory, err = (observe.Stories{Reader: r.Client}).Module(ctx, m, f); err != nil {
		return nil, err
	}
	if s.Workload.HasMissedDeadline() {
		if s.Workload.Pods, err = observe.ModulePods(ctx, r.Client, m); err != nil {
			return nil, err
		}
	}
	s.users, err = observe.Users(ctx, r.Client, m.Namespace, m.Name)
	return s, err
}

// chooseTarget finds the target of the plan, and has the module hold its finalizer.
func (r *Reconciler) chooseTarget(ctx context.Context, s *story) error {
	name, err := s.facts.TargetFor(s.Module)
	if err != nil {
		return err
	}
	if s.target, err = r.Targets.For(s.Module, name); err != nil {
		return err
	}
	return r.finalizer().Hold(ctx, s.Module, s.target)
}

func (r *Reconciler) finalizer() finalize.Finalizer {
	return finalize.Finalizer{Client: r.Client, Targets: r.Targets, Events: r.Events, Clock: r.Clock}
}

// act makes the plan real: the revision and the children. Where the revision cannot be
// kept, the Deployment is held: no pod must run what no revision holds.
func (r *Reconciler) act(ctx context.Context, s *story) error {
	plan := target.Plan{Objects: s.Children, Fence: s.fence}
	plan.RestOn(s.Workload.Deployment)
	report.HoldScaledObjects(&plan, s.Facts)
	failed := r.keepRevision(ctx, s, &plan)
	var err error
	if s.outcome, err = s.target.Apply(ctx, s.Module, plan); err != nil {
		return errors.Join(failed, err)
	}
	report.Notices(r.Events, s.Module, s.outcome.Notices)
	report.Writes(r.Events, s.Module, s.outcome.Writes)
	return errors.Join(failed, r.prune(ctx, s))
}

// keepRevision writes a revision that was cut.
func (r *Reconciler) keepRevision(ctx context.Context, s *story, plan *target.Plan) error {
	if !s.IsCut {
		return nil
	}
	object, err := expand.ModuleRevisionObject(s.Module, s.Running)
	if err != nil {
		return err
	}
	problem, err := revision.Keep(ctx, s.fence.Guard(r.Client), r.Live, s.Module, object)
	if problem == nil && err == nil {
		return nil
	}
	plan.Objects = slices.DeleteFunc(slices.Clone(plan.Objects), func(obj client.Object) bool {
		_, ok := obj.(*appsv1.Deployment)
		if ok {
			plan.Held = append(plan.Held, target.Child{Kind: "Deployment.apps", Name: obj.GetName()})
		}
		return ok
	})
	if problem == nil {
		problem = target.NewFailedError(revision.Kind, object.Name, err)
	}
	plan.Held = append(plan.Held, target.Child{Kind: revision.Kind, Name: object.Name, Problem: problem})
	return err
}

// prune deletes revisions beyond the history limit. While pods roll none goes:
// they may still need the one before.
func (r *Reconciler) prune(ctx context.Context, s *story) error {
	if len(s.outcome.Writes) > 0 || s.outcome.Again > 0 || !s.Workload.Progress(s.Running.Name).Complete {
		return nil
	}
	for _, old := range expand.SuperfluousRevisions(s.Revisions, map[string]bool{s.Running.Name: true, s.Declared.Name: true}, historyLimit) {
		object, err := expand.ModuleRevisionObject(s.Module, old)
		if err != nil {
			return err
		}
		if err := s.fence.Guard(r.Client).Delete(ctx, object); client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("delete revision %s: %w", object.Name, err)
		}
	}
	return nil
}
