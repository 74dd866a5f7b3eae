package handler

import (
	"context"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/controller/report"
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

// work is the list of writes that a plan needs.
type work struct {
	// to is the target of the plan; nil where nothing is to be applied.
	to   target.Target
	plan target.Plan
	// expected is the outcome if all goes well.
	expected outcome
	// revision is the one that was cut, schema the one that it lacks; nil for none.
	revision *appsv1.ControllerRevision
	schema   *v1.VersionSchema
	// records and checks come and go; old are the revisions beyond the history's limit.
	records changes[*v1.GatiVersion]
	checks  changes[*batchv1.Job]
	old     []*appsv1.ControllerRevision
}

// changes are objects beside those of the plan.
type changes[T client.Object] struct{ create, remove []T }

func (c changes[T]) isEmpty() bool { return len(c.create) == 0 && len(c.remove) == 0 }

func (w *work) isEmpty() bool {
	return len(w.expected.Writes) == 0 && w.revision == nil && w.schema == nil &&
		w.records.isEmpty() && w.checks.isEmpty() && len(w.old) == 0
}

// inspect returns the writes that the plan needs, without making any. Without a decision it
// needs none.
func (r *Reconciler) inspect(ctx context.Context, s *story) (work, error) {
	if !s.IsDecided() {
		return work{}, nil
	}
	to, err := r.chooseTarget(s)
	if err != nil {
		return work{}, err
	}
	out := work{to: to, plan: s.targetPlan(), schema: s.missingSchema(), records: s.recordChanges(), checks: s.checkChanges()}
	if s.IsCut {
		if out.revision, err = expand.HandlerRevisionObject(s.Handler, s.Running); err != nil {
			return work{}, err
		}
	}
	if out.expected.Outcome, err = to.Inspect(ctx, s.Handler, out.plan); err != nil {
		return work{}, err
	}
	s.noteTaken(out.expected.Children)
	if out.isEmpty() && !report.HasProblem(out.expected.Children) {
		out.old, err = s.superfluousRevisions()
	}
	out.expected.IsPartial = !out.isEmpty()
	return out, err
}

func (r *Reconciler) chooseTarget(s *story) (target.Target, error) {
	name, err := s.Facts.TargetFor(s.Handler)
	if err != nil {
		name = v1.TargetKubernetes // A fault of the spec. What no other target holds is here.
	}
	return r.Targets.For(s.Handler, name)
}

// targetPlan returns the plan as the target gets it. What cannot be written now is held.
func (s *story) targetPlan() target.Plan {
	plan := target.Plan{}
	plan.Objects, plan.Stage = expand.InStages(s.Children, s.Route.Exists)
	for _, w := range s.Workloads {
		plan.RestOn(w.Deployment)
	}
	s.holdRoute(&plan)
	report.HoldScaledObjects(&plan, s.Facts)
	for _, lost := range s.Lost {
		for _, name := range lost.ConfigMaps {
			plan.Held = append(plan.Held, target.Child{Kind: configMapKind, Name: name})
		}
		plan.Held = append(plan.Held, target.Child{Kind: deploymentKind, Name: lost.Deployment, Problem: lost.Problem()})
	}
	return plan
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

// noteTaken gives a route that is written all the same the problem of its claims.
func (s *story) noteTaken(children []target.Child) {
	for i := range children {
		if c := &children[i]; s.taken != nil && c.Kind == routeKind && c.Problem == nil {
			c.Problem = s.taken
		}
	}
}

func (s *story) routeProblem() error {
	if unserved := s.Facts.Unserved("HTTPRoute"); unserved != nil {
		return unserved
	}
	if s.taken != nil {
		return s.taken
	}
	return nil
}

// superfluousRevisions returns those beyond spec.versions.historyLimit. Those that a live
// version runs do not count, and while pods roll none goes: they may still need the one
// before.
func (s *story) superfluousRevisions() ([]*appsv1.ControllerRevision, error) {
	if s.Decision.Rollout.Phase != v1.RolloutStable {
		return nil, nil
	}
	inUse := map[string]bool{s.Running.Name: true}
	for _, w := range s.Decision.Workloads {
		inUse[w.Unit.Revision] = true
	}
	var out []*appsv1.ControllerRevision
	for _, old := range expand.SuperfluousRevisions(s.Revisions, inUse, int(*s.Resolved.Spec.Versions.HistoryLimit)) {
		object, err := expand.HandlerRevisionObject(s.Handler, old)
		if err != nil {
			return nil, err
		}
		out = append(out, object)
	}
	return out, nil
}
