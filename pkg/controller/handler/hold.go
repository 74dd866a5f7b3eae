package handler

import (
	"context"
	"errors"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/controller/report"
	"gati.dev/gati/pkg/controller/revision"
	"gati.dev/gati/pkg/decide"
	"gati.dev/gati/pkg/expand"
	"gati.dev/gati/pkg/target"
)

// Kinds among the children.
const (
	routeKind      = "HTTPRoute.gateway.networking.k8s.io"
	deploymentKind = "Deployment.apps"
	configMapKind  = "ConfigMap"
)

func hasHeldDeployment(plan target.Plan) bool {
	return slices.ContainsFunc(plan.Held, func(c target.Child) bool { return c.Kind == deploymentKind })
}

// holdRoute holds a route that the cluster has no API for, or that would get a claim of
// another handler.
func (s *story) holdRoute(plan *target.Plan) {
	if problem := s.routeProblem(); problem != nil && !s.hasLiveClaims() {
		plan.Hold(routeKind, problem, func(obj client.Object) bool {
			_, ok := obj.(*gatewayv1.HTTPRoute)
			return ok
		})
	}
}

// hasLiveClaims reports whether the live route has every claim of the spec. Its weights
// are still written then, also where the claims are another's: a rollback needs them.
func (s *story) hasLiveClaims() bool {
	return s.Route.Exists && !slices.ContainsFunc(claimKeys(s.Handler), func(claim string) bool {
		return !slices.ContainsFunc(s.Claims, func(c decide.LiveClaim) bool { return c.Claim == claim })
	})
}

// noteTaken gives a route that was written all the same the problem of its claims.
func (s *story) noteTaken() {
	for i := range s.outcome.Children {
		if c := &s.outcome.Children[i]; s.taken != nil && c.Kind == routeKind && c.Problem == nil {
			c.Problem = s.taken
		}
	}
}

func (s *story) routeProblem() error {
	switch {
	case !s.Facts.HTTPRouteServed:
		return &report.NotServedError{Kind: "an HTTPRoute", Field: "spec.route", Remedy: "install the Gateway API or remove spec.route"}
	case s.taken != nil:
		return s.taken
	default:
		return nil
	}
}

// keepRevision writes a revision that was cut. Where it cannot be kept, the Deployments
// that would run it are held: no pod must run what no revision holds.
func (r *Reconciler) keepRevision(ctx context.Context, s *story, plan *target.Plan) error {
	if !s.IsCut || s.isKept {
		return nil
	}
	object, err := expand.HandlerRevisionObject(s.Handler, s.Running)
	if err != nil {
		return err
	}
	problem, err := revision.Keep(ctx, s.writer, r.Live, s.Handler, object)
	if problem == nil && err == nil {
		return nil
	}
	runs := map[string]bool{}
	for _, w := range s.Decision.Workloads {
		runs[w.Workload] = w.Unit.Revision == s.Running.Name
	}
	plan.Hold(deploymentKind, nil, func(obj client.Object) bool {
		_, ok := obj.(*appsv1.Deployment)
		return ok && runs[obj.GetLabels()[v1.LabelWorkload]]
	})
	if problem != nil {
		s.failed = append(s.failed, target.Child{Kind: revision.Kind, Name: object.Name, Problem: problem})
	}
	return s.noteFailure(revision.Kind, object.Name, err)
}

// holdLost holds the workloads whose template is gone or cannot be used, with what their
// pods read. A revision that has only lost its labels gets them back, and is read next time.
func (r *Reconciler) holdLost(ctx context.Context, s *story, plan *target.Plan) error {
	var errs []error
	for _, lost := range s.Lost {
		for _, name := range lost.ConfigMaps {
			plan.Held = append(plan.Held, target.Child{Kind: configMapKind, Name: name})
		}
		problem, err := revision.Restore(ctx, s.writer, r.Live, s.Handler, lost.Revision, func(kept expand.Revision) (*appsv1.ControllerRevision, error) {
			return expand.HandlerRevisionObject(s.Handler, kept)
		})
		if problem == nil {
			problem = &decide.LostError{Lost: lost}
		}
		plan.Held = append(plan.Held, target.Child{Kind: deploymentKind, Name: lost.Deployment, Problem: problem})
		errs = append(errs, s.noteFailure(revision.Kind, lost.Revision, err))
	}
	return errors.Join(errs...)
}
