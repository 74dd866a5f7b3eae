// Package handler reconciles GatiHandlers, in the order observe → plan → inspect → persist
// → apply → report. What a rollout was decided by is kept at its end.
//
// Every step is idempotent: after a kill at any line, the next reconciliation continues.
// The package must not know how a decision is made (pkg/rollout), what the children look
// like (pkg/decide, pkg/expand) or how they are written (pkg/target).
package handler

import (
	"context"
	"errors"
	"fmt"

	"k8s.io/client-go/tools/events"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/admit"
	"gati.dev/gati/pkg/compat"
	"gati.dev/gati/pkg/controller/trigger"
	"gati.dev/gati/pkg/controller/turn"
	"gati.dev/gati/pkg/observe"
	"gati.dev/gati/pkg/signals"
	"gati.dev/gati/pkg/target"
	"gati.dev/gati/pkg/tracing"
)

// Reconciler keeps the children of GatiHandlers as their specs ask for.
type Reconciler struct {
	// Client reads from the cache and writes, Live asks the API server.
	Client client.Client
	Live   client.Reader
	// Targets are where the children may go; facts decide which of them.
	Targets target.Set
	Facts   *observe.Facts
	// Admit is the pipeline that admission runs.
	Admit admit.Pipeline
	// Judge compares the schemas of versions, as admission does.
	Judge  *compat.Judge
	Clock  clock.PassiveClock
	Events events.EventRecorder
	// Signals measures traffic; nil where nothing is configured that could. Measured
	// has the handlers with new measurements. Queries reports whether users may ask it
	// queries of their own.
	Signals  *signals.Hub
	Measured <-chan event.GenericEvent
	Queries  bool
	// DeclaredTransformers takes records of transformers for proof that pods hold them.
	DeclaredTransformers bool
	// Tracing exports the work for each spec; nil is off.
	Tracing *tracing.Tracer
	// Turns bounds the rollouts under way at once; nil is no bound.
	Turns *turn.Board
	// Workers is how many handlers are reconciled at once, one if zero.
	Workers int
	// Release is that of the program, for the records of rollouts.
	Release string

	late    trigger.Late
	memory  memory
	replays replays
}

// Reconcile brings one handler a step closer to its spec.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var h v1.GatiHandler
	if err := r.Client.Get(ctx, req.NamespacedName, &h); err != nil {
		r.memory.forgetHandler(req.NamespacedName)
		r.replays.forgetHandler(req.NamespacedName)
		r.Signals.Want(signals.Owner{Namespace: req.Namespace, Name: req.Name}, nil)
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if err := r.watchLate(ctx); err != nil {
		return ctrl.Result{}, err
	}
	ending, err := r.Facts.Ending(ctx, h.Namespace)
	if err != nil {
		return ctrl.Result{}, err
	}
	if h.DeletionTimestamp != nil {
		r.Signals.Want(signals.Owner{Namespace: req.Namespace, Name: req.Name}, nil)
		return r.newFinalizer().Delete(ctx, &h, ending)
	}
	if ending {
		return ctrl.Result{}, nil
	}
	if r.memory.isBehind(&h, r.Clock.Now()) {
		return ctrl.Result{RequeueAfter: maxBehind}, nil
	}
	ctx, work := r.Tracing.Begin(ctx, tracing.SubjectOf("GatiHandler", &h))
	defer work.End()
	result, err := r.reconcile(ctx, &h, work)
	if err != nil && !trigger.IsQuiet(ctx, err) {
		r.Turns.Release(req.NamespacedName)
	}
	return result, err
}

// reconcile brings a handler a step closer to its spec.
func (r *Reconciler) reconcile(ctx context.Context, h *v1.GatiHandler, work *tracing.Work) (ctrl.Result, error) {
	s, err := r.observe(ctx, h, work)
	if err != nil {
		return ctrl.Result{}, fmt.Errorf("observe: %w", err)
	}
	if s.Planned, err = r.plan(ctx, s); err != nil {
		return ctrl.Result{}, fmt.Errorf("plan: %w", err)
	}
	if s.Decision.Undecided {
		return ctrl.Result{RequeueAfter: s.Decision.After}, nil
	}
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
	r.keepReplay(ctx, s.Handler)
	return result, errors.Join(acted, err)
}
