// Package handler makes GatiHandlers real. One reconciler tells the whole story:
// read → check → decide → persist the decision → act → report.
//
// Every step is idempotent, so that a reconciler killed at any line is carried on
// by the next. It must not know how a decision is made (pkg/rollout), what the
// children look like (pkg/expand) or how they are written (pkg/target).
package handler

import (
	"context"
	"fmt"
	"time"

	"k8s.io/client-go/tools/events"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/controller/report"
	"gati.dev/gati/pkg/observe"
	"gati.dev/gati/pkg/target"
)

// retryProblem is how soon something that only others can mend, and that no watch
// tells of, is looked at again.
const retryProblem = time.Minute

// Reconciler keeps the children of GatiHandlers as their specs ask for.
type Reconciler struct {
	// Client reads from the cache and writes, Live asks the API server.
	Client client.Client
	Live   client.Reader
	Target target.Target
	Facts  *observe.Facts
	Clock  clock.PassiveClock
	Events events.EventRecorder

	routes routeWatch
}

// Reconcile brings one handler a step closer to its spec.
func (r *Reconciler) Reconcile(ctx context.Context, req ctrl.Request) (ctrl.Result, error) {
	var h v1.GatiHandler
	if err := r.Client.Get(ctx, req.NamespacedName, &h); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if h.DeletionTimestamp != nil {
		return ctrl.Result{}, nil // The children have an ownerReference: they go with it.
	}
	if ending, err := r.Facts.Ending(ctx, h.Namespace); err != nil || ending {
		return ctrl.Result{}, err
	}
	if err := r.routes.ensure(r.Facts.HTTPRouteServed); err != nil {
		return ctrl.Result{}, fmt.Errorf("watch HTTPRoutes: %w", err)
	}
	s, err := r.observe(ctx, &h)
	if err != nil {
		return ctrl.Result{}, fmt.Errorf("observe: %w", err)
	}
	if len(s.result.Errors) > 0 {
		return ctrl.Result{}, r.report(ctx, s)
	}
	s.decide()
	if err := r.persist(ctx, s); err != nil {
		return ctrl.Result{}, err
	}
	if err := r.act(ctx, s); err != nil {
		return ctrl.Result{}, err
	}
	if err := r.report(ctx, s); err != nil {
		return ctrl.Result{}, err
	}
	if report.HasProblem(s.outcome.Children) {
		return ctrl.Result{RequeueAfter: retryProblem}, nil
	}
	return ctrl.Result{}, nil
}
