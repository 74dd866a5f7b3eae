package handler

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/api/equality"
	"sigs.k8s.io/controller-runtime/pkg/client"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/controller/report"
	"gati.dev/gati/pkg/controller/revision"
	"gati.dev/gati/pkg/decide"
	"gati.dev/gati/pkg/expand"
	"gati.dev/gati/pkg/target"
)

// persist writes the decision before anything is done about it, so that the next
// reconciler after a crash carries on from it.
func (r *Reconciler) persist(ctx context.Context, s *story) error {
	st := &s.Handler.Status
	ports := s.Ports
	if len(ports) == 0 {
		ports = st.Ports
	}
	if equality.Semantic.DeepEqual(st.Versions, s.Decision.Versions) && equality.Semantic.DeepEqual(st.Rollout, s.Decision.Rollout) && slices.Equal(st.Ports, ports) {
		return nil
	}
	before := s.Handler.DeepCopy()
	st.Versions, st.Rollout, st.Ports = s.Decision.Versions, s.Decision.Rollout, ports
	if err := r.patchStatus(ctx, s.Handler, before); err != nil {
		return err
	}
	report.Decided(r.Events, s.Handler, s.Decision.Events)
	return nil
}

// act makes the plan real: the revision, the children, the records. A fault of one
// does not keep the others from being written.
func (r *Reconciler) act(ctx context.Context, s *story) error {
	if err := r.keepSchema(ctx, s); err != nil {
		return err
	}
	if taken, err := r.keepRevision(ctx, s); err != nil || taken != nil {
		s.outcome.Children = taken
		return err
	}
	if s.Lost != nil {
		s.outcome.Children = []target.Child{{Kind: "ControllerRevision.apps", Name: s.Lost.Revision, Problem: s.Lost}}
		return nil
	}
	objects, unroutable := s.splitRoute()
	var err error
	if s.outcome, err = r.Target.Apply(ctx, s.Handler, objects); err != nil {
		return err
	}
	s.outcome.Children = append(s.outcome.Children, unroutable...)
	stamp, err := decide.StampHandler(&s.Story)
	if err != nil {
		return err
	}
	s.applied = &stamp
	report.Writes(r.Events, s.Handler, s.outcome.Writes)
	return errors.Join(r.keepRecords(ctx, s), r.prune(ctx, s))
}

// keepRevision writes a revision that was cut. It returns the revision as a child with
// a problem when a foreign object has its name.
func (r *Reconciler) keepRevision(ctx context.Context, s *story) ([]target.Child, error) {
	if !s.IsCut {
		return nil, nil
	}
	object, err := expand.HandlerRevisionObject(s.Handler, s.Running)
	if err != nil {
		return nil, err
	}
	return revision.Keep(ctx, r.Client, r.Live, s.Handler, object)
}

// routeKind is the kind of a route among the children.
const routeKind = "HTTPRoute.gateway.networking.k8s.io"

// splitRoute splits off a route that the cluster has no API for, or whose traffic is
// another handler's. The rest is applied.
func (s *story) splitRoute() ([]client.Object, []target.Child) {
	problem := s.routeProblem()
	if problem == nil {
		return s.Children, nil
	}
	var out []target.Child
	rest := slices.DeleteFunc(s.Children, func(obj client.Object) bool {
		if _, ok := obj.(*gatewayv1.HTTPRoute); !ok {
			return false
		}
		out = append(out, target.Child{Kind: routeKind, Name: obj.GetName(), Problem: problem})
		return true
	})
	return rest, out
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

// prune deletes revisions beyond spec.versions.historyLimit. Those that a live
// version runs do not count, and while pods roll none goes: they may still need
// the one before.
func (r *Reconciler) prune(ctx context.Context, s *story) error {
	if len(s.outcome.Writes) > 0 || s.Decision.Rollout.Phase != v1.RolloutStable {
		return nil
	}
	inUse := map[string]bool{s.Running.Name: true}
	for _, w := range s.Decision.Workloads {
		inUse[w.Unit.Revision] = true
	}
	for _, old := range expand.SuperfluousRevisions(s.Revisions, inUse, int(*s.Resolved.Spec.Versions.HistoryLimit)) {
		object, err := expand.HandlerRevisionObject(s.Handler, old)
		if err != nil {
			return err
		}
		if err := r.Client.Delete(ctx, object); client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("delete revision %s: %w", object.Name, err)
		}
	}
	return nil
}
