// Package module makes GatiModules real. It tells the same story as package
// handler, without versions: read → check → decide → act → report.
//
// It must not know what the children look like (pkg/expand) or how they are
// written (pkg/target).
package module

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/admit"
	"gati.dev/gati/pkg/controller/report"
	"gati.dev/gati/pkg/controller/revision"
	"gati.dev/gati/pkg/defaulting"
	"gati.dev/gati/pkg/expand"
	"gati.dev/gati/pkg/naming"
	"gati.dev/gati/pkg/observe"
	"gati.dev/gati/pkg/status"
	"gati.dev/gati/pkg/target"
)

const (
	// retryProblem is how soon something that only others can mend is looked at
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
	Target target.Target
	Facts  *observe.Facts
	Clock  clock.PassiveClock
	Events events.EventRecorder
}

// story is one reconciliation: what was seen, what was decided, what came of it.
type story struct {
	module    *v1.GatiModule
	result    admit.Result
	resolved  defaulting.Module
	revisions []expand.Revision
	workload  observe.Workload
	running   expand.Revision
	cut       bool
	outcome   target.Outcome
	// pods are those of a module that has not settled.
	pods []corev1.Pod
}

// Reconcile brings one module a step closer to its spec.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var m v1.GatiModule
	if err := r.Client.Get(ctx, req.NamespacedName, &m); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if m.DeletionTimestamp != nil {
		return ctrl.Result{}, nil // The children have an ownerReference: they go with it.
	}
	if ending, err := r.Facts.Ending(ctx, m.Namespace); err != nil || ending {
		return ctrl.Result{}, err
	}
	s, err := r.observe(ctx, &m)
	if err != nil {
		return ctrl.Result{}, fmt.Errorf("observe: %w", err)
	}
	if len(s.result.Errors) > 0 {
		return ctrl.Result{}, r.report(ctx, s)
	}
	s.decide()
	if err := r.act(ctx, s); err != nil {
		return ctrl.Result{}, err
	}
	if err := r.report(ctx, s); err != nil {
		return ctrl.Result{}, err
	}
	if report.HasProblem(s.outcome.Children) {
		return ctrl.Result{RequeueAfter: retryProblem}, nil
	}
	return ctrl.Result{RequeueAfter: status.TroubleIn(s.pods, r.Clock.Now())}, nil
}

// observe reads all that the decisions rest on.
func (r *Reconciler) observe(ctx context.Context, m *v1.GatiModule) (*story, error) {
	s := &story{module: m}
	f, err := r.Facts.For(ctx, m.Namespace)
	if err != nil {
		return nil, err
	}
	s.result, s.resolved = admit.Module(m, nil, f)
	if s.revisions, err = observe.Revisions(ctx, r.Client, m, v1.LabelModule); err != nil {
		return nil, err
	}
	s.workload, err = observe.ReadWorkload(ctx, r.Client, m.Namespace, naming.Module(m.Name))
	return s, err
}

// decide finds the revision to run. It is pure.
func (s *story) decide() {
	var found bool
	if s.running, found = expand.FindRevision(s.revisions, s.result.Hash); !found {
		s.running = expand.NewModuleRevision(s.module, s.resolved, s.result.Hash, s.revisions)
		s.cut = true
	}
}

// act makes the decision real: the revision and the children.
func (r *Reconciler) act(ctx context.Context, s *story) error {
	if s.cut {
		object, err := expand.ModuleRevisionObject(s.module, s.running)
		if err != nil {
			return err
		}
		if taken, err := revision.Keep(ctx, r.Client, r.Live, s.module, object); err != nil || taken != nil {
			s.outcome.Children = taken
			return err
		}
	}
	plan := expand.Module(s.module, s.resolved, s.running, s.revisions, observe.Live(s.workload.Deployment, s.workload.Autoscaler))
	var err error
	if s.outcome, err = r.Target.Apply(ctx, s.module, plan.Objects); err != nil {
		return err
	}
	report.Writes(r.Events, s.module, s.outcome.Writes)
	return r.prune(ctx, s)
}

// prune deletes revisions beyond the history limit. While pods roll none goes:
// they may still need the one before.
func (r *Reconciler) prune(ctx context.Context, s *story) error {
	if len(s.outcome.Writes) > 0 || !observe.Progress(s.workload.Deployment, s.running.Name).Complete {
		return nil
	}
	for _, old := range expand.Superfluous(s.revisions, map[string]bool{s.running.Name: true}, historyLimit) {
		object, err := expand.ModuleRevisionObject(s.module, old)
		if err != nil {
			return err
		}
		if err := r.Client.Delete(ctx, object); client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("delete revision %s: %w", object.Name, err)
		}
	}
	return nil
}
