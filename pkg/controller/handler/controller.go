// Package handler makes GatiHandlers real. One reconciler does it in the order
// observe → plan → persist the decision → act → report.
//
// Every step is idempotent, so that a reconciler killed at any line is carried on
// by the next. It must not know how a decision is made (pkg/rollout), what the
// children look like (pkg/decide, pkg/expand) or how they are written (pkg/target).
package handler

import (
	"context"
	"errors"
	"fmt"
	"time"

	"k8s.io/client-go/tools/events"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/admit"
	"gati.dev/gati/pkg/compat"
	"gati.dev/gati/pkg/controller/report"
	"gati.dev/gati/pkg/controller/trigger"
	"gati.dev/gati/pkg/controller/turn"
	"gati.dev/gati/pkg/decide"
	"gati.dev/gati/pkg/diagnose"
	"gati.dev/gati/pkg/observe"
	"gati.dev/gati/pkg/signals"
	"gati.dev/gati/pkg/target"
	"gati.dev/gati/pkg/tracing"
)

// retryProblem is how soon a problem that only others can solve, and that no watch
// reports, is looked at again.
const retryProblem = 30 * time.Second

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
	// Tracing exports what is done for each spec; nil is off.
	Tracing *tracing.Tracer
	// Turns bounds the rollouts under way at once; nil is no bound.
	Turns *turn.Board
	// Workers is how many handlers are reconciled at once, one if zero.
	Workers int

	late   trigger.Late
	memory memory
}

// Reconcile brings one handler a step closer to its spec.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var h v1.GatiHandler
	if err := r.Client.Get(ctx, req.NamespacedName, &h); err != nil {
		r.memory.forget(req.NamespacedName)
		r.Signals.Want(signals.Owner{Namespace: req.Namespace, Name: req.Name}, nil)
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	ending, err := r.Facts.Ending(ctx, h.Namespace)
	if err != nil {
		return ctrl.Result{}, err
	}
	if h.DeletionTimestamp != nil {
		r.Signals.Want(signals.Owner{Namespace: req.Namespace, Name: req.Name}, nil)
		return r.finalizer().Delete(ctx, &h, ending)
	}
	if ending {
		return ctrl.Result{}, nil
	}
	if r.memory.isBehind(&h, r.Clock.Now()) {
		return ctrl.Result{RequeueAfter: maxBehind}, nil
	}
	r.takeFirst(&h)
	if err := r.watchLate(); err != nil {
		return ctrl.Result{}, err
	}
	ctx, work := r.Tracing.Begin(ctx, tracing.SubjectOf("GatiHandler", &h))
	defer work.End()
	result, err := r.reconcile(ctx, &h, work)
	if err != nil && !trigger.IsQuiet(ctx, err) {
		r.Turns.Release(req.NamespacedName)
	}
	return result, err
}

// reconcile observes, decides and acts.
func (r *Reconciler) reconcile(ctx context.Context, h *v1.GatiHandler, work *tracing.Work) (ctrl.Result, error) {
	s, err := r.observe(ctx, h)
	if err != nil {
		return ctrl.Result{}, fmt.Errorf("observe: %w", err)
	}
	s.work = work
	s.Route.Generation = max(s.Route.Generation, r.memory.recall(h).route)
	s.takeReadings(r.Signals, r.Queries)
	s.TransformersDeclared = r.DeclaredTransformers
	now := r.Clock.Now()
	if s.Planned, err = r.planInTurn(ctx, s, now); err != nil {
		return ctrl.Result{}, fmt.Errorf("plan: %w", err)
	}
	if len(s.Errors) > 0 {
		return ctrl.Result{}, r.report(ctx, s)
	}
	if s.Decision.Undecided {
		return ctrl.Result{RequeueAfter: s.Decision.After}, nil
	}
	r.requestReadings(s)
	if err := r.chooseTarget(ctx, s); err != nil {
		return ctrl.Result{}, err
	}
	r.deferDecision(s)
	acted := r.act(ctx, s)
	if trigger.IsQuiet(ctx, acted) {
		return ctrl.Result{}, acted
	}
	if s.isTurnOver {
		return ctrl.Result{RequeueAfter: patience}, nil // The event of its status comes first.
	}
	if err := errors.Join(acted, r.report(ctx, s)); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{RequeueAfter: s.lookAgain(now)}, nil
}

// maxPlanning bounds the comparison of versions, which takes a second at most once it
// has its turn. Without an answer the handler is tried again.
const maxPlanning = 5 * time.Second

func (r *Reconciler) plan(ctx context.Context, s *story, now time.Time) (decide.Planned, error) {
	ctx, cancel := context.WithTimeout(ctx, maxPlanning)
	defer cancel()
	began := s.work.Now()
	defer func() { s.work.Did("decide", began) }()
	return decide.Plan(&s.Story, r.Judge.Within(ctx), now)
}

// lookAgain returns how long until the handler is reconciled although no watch reports
// anything; zero for never. now is when it was decided: what was to come then has not
// been seen, though it may have come by now.
func (s *story) lookAgain(now time.Time) time.Duration {
	looks := []time.Duration{s.Decision.After, s.outcome.Again, s.unwritten, s.unseen}
	for _, w := range s.Workloads {
		if _, left := w.Settling(now); !s.IsAlone() {
			looks = append(looks, left)
		}
		looks = append(looks, diagnose.LookAgain(w.Pods, now))
	}
	if report.HasProblem(s.outcome.Children) {
		looks = append(looks, retryProblem)
	}
	first := time.Duration(0)
	for _, after := range looks {
		if after > 0 && (first == 0 || after < first) {
			first = after
		}
	}
	return first
}
