package handler

import (
	"cmp"
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
	"gati.dev/gati/pkg/expand"
	"gati.dev/gati/pkg/observe"
	"gati.dev/gati/pkg/target"
)

// persist writes the decision before anything is done about it, so that whoever
// carries on after a crash knows what was meant.
func (r *Reconciler) persist(ctx context.Context, s *story) error {
	if equality.Semantic.DeepEqual(s.handler.Status.Versions, s.decision.Versions) {
		return nil
	}
	before := s.handler.DeepCopy()
	s.handler.Status.Versions = s.decision.Versions
	return r.patchStatus(ctx, s.handler, before)
}

// act makes the decision real: the revision, the children, the records. A fault
// of one does not keep the others from their turn.
func (r *Reconciler) act(ctx context.Context, s *story) error {
	if taken, err := r.keepRevision(ctx, s); err != nil || taken != nil {
		s.outcome.Children = taken
		return err
	}
	plan := expand.Handler(s.handler, s.resolved, s.running, s.revisions, observe.Live(s.workload.Deployment, s.workload.Autoscaler))
	objects, unserved := s.served(plan.Objects)
	var err error
	if s.outcome, err = r.Target.Apply(ctx, s.handler, objects); err != nil {
		return err
	}
	s.outcome.Children = append(s.outcome.Children, unserved...)
	report.Writes(r.Events, s.handler, s.outcome.Writes)
	return errors.Join(r.keepRecords(ctx, s), r.prune(ctx, s))
}

// keepRevision writes a revision that was cut. It returns the revision as a child
// in trouble when somebody else's object has its name.
func (r *Reconciler) keepRevision(ctx context.Context, s *story) ([]target.Child, error) {
	if !s.cut {
		return nil, nil
	}
	object, err := expand.HandlerRevisionObject(s.handler, s.running)
	if err != nil {
		return nil, err
	}
	return revision.Keep(ctx, r.Client, r.Live, s.handler, object)
}

// served splits off what the cluster has no API for. The rest is applied.
func (s *story) served(plan []client.Object) ([]client.Object, []target.Child) {
	if s.facts.HTTPRouteServed {
		return plan, nil
	}
	var unserved []target.Child
	out := slices.DeleteFunc(plan, func(obj client.Object) bool {
		if _, ok := obj.(*gatewayv1.HTTPRoute); !ok {
			return false
		}
		unserved = append(unserved, target.Child{Kind: "HTTPRoute.gateway.networking.k8s.io", Name: obj.GetName(), Problem: &report.NotServedError{
			Kind: "an HTTPRoute", Field: "spec.route", Remedy: "install the Gateway API or remove spec.route",
		}})
		return true
	})
	return out, unserved
}

// prune deletes revisions beyond spec.versions.historyLimit. Those that a live
// version runs do not count, and while pods roll none goes: they may still need
// the one before.
func (r *Reconciler) prune(ctx context.Context, s *story) error {
	if len(s.outcome.Writes) > 0 || !s.progress().Complete {
		return nil
	}
	inUse := map[string]bool{s.running.Name: true}
	for _, v := range s.decision.Versions {
		inUse[v.Revision] = inUse[v.Revision] || v.Phase != v1.VersionDecommissioned
	}
	for _, old := range expand.Superfluous(s.revisions, inUse, int(*s.resolved.Spec.Versions.HistoryLimit)) {
		object, err := expand.HandlerRevisionObject(s.handler, old)
		if err != nil {
			return err
		}
		if err := r.Client.Delete(ctx, object); client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("delete revision %s: %w", object.Name, err)
		}
	}
	return nil
}

func bySequence(versions []v1.VersionStatus) []v1.VersionStatus {
	slices.SortFunc(versions, func(a, b v1.VersionStatus) int { return cmp.Compare(a.Sequence, b.Sequence) })
	return versions
}
