// Package module reconciles GatiModules, in the order of package handler without versions:
// observe → plan → inspect → persist → apply → report.
//
// It must not know what the children look like (pkg/expand) or how they are
// written (pkg/target).
package module

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/controller/finalize"
	"gati.dev/gati/pkg/controller/trigger"
	"gati.dev/gati/pkg/decide"
	"gati.dev/gati/pkg/facts"
	kedav1alpha1 "gati.dev/gati/pkg/keda/v1alpha1"
	"gati.dev/gati/pkg/observe"
	"gati.dev/gati/pkg/target"
)

const (
	// nextStage is how soon the next stage of a plan is written, behind the modules that wait
	// already.
	nextStage = time.Millisecond
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

// story is one reconciliation: its observations, plan and outcome.
type story struct {
	decide.ModuleStory
	decide.PlannedModule
	facts facts.Facts
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
	if err := r.late.Ensure(ctx, &kedav1alpha1.ScaledObject{}, r.Facts.ScaledObjectServed); err != nil {
		return ctrl.Result{}, fmt.Errorf("watch ScaledObjects: %w", err)
	}
	ending, err := r.Facts.Ending(ctx, m.Namespace)
	if err != nil {
		return ctrl.Result{}, err
	}
	if m.DeletionTimestamp != nil {
		return r.newFinalizer().Delete(ctx, &m, ending)
	}
	if ending {
		return ctrl.Result{}, nil
	}
	return r.reconcile(ctx, &m)
}

// reconcile brings a module a step closer to its spec.
func (r *Reconciler) reconcile(ctx context.Context, m *v1.GatiModule) (ctrl.Result, error) {
	s, err := r.observe(ctx, m)
	if err != nil {
		return ctrl.Result{}, fmt.Errorf("observe: %w", err)
	}
	s.PlannedModule = r.plan(s)
	todo, err := r.inspect(ctx, s)
	if err != nil {
		return ctrl.Result{}, err
	}
	fence, err := r.persist(ctx, s, todo)
	if err != nil {
		return ctrl.Result{}, err
	}
	done, acted := r.apply(ctx, s, todo, fence)
	if trigger.IsQuiet(ctx, acted) {
		return ctrl.Result{}, acted
	}
	result, err := r.report(ctx, s, done)
	return result, errors.Join(acted, err)
}

// observe reads the input of the plan.
func (r *Reconciler) observe(ctx context.Context, m *v1.GatiModule) (*story, error) {
	f, err := r.Facts.For(ctx, m.Namespace)
	if err != nil {
		return nil, err
	}
	s := &story{facts: f}
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

// plan decides which revision runs. Of a spec with faults nothing is decided.
func (r *Reconciler) plan(s *story) decide.PlannedModule {
	if len(s.Result.Errors) > 0 {
		return decide.PlannedModule{}
	}
	return decide.PlanModule(&s.ModuleStory, r.Clock.Now())
}

func (r *Reconciler) newFinalizer() finalize.Finalizer {
	return finalize.Finalizer{Client: r.Client, Targets: r.Targets, Events: r.Events, Clock: r.Clock}
}
