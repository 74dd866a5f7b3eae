package diff

import (
	"context"
	"errors"
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/client"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/admit"
	"gati.dev/gati/pkg/cli/cluster"
	"gati.dev/gati/pkg/compat"
	"gati.dev/gati/pkg/decide"
	"gati.dev/gati/pkg/expand"
	"gati.dev/gati/pkg/naming"
	"gati.dev/gati/pkg/observe"
	"gati.dev/gati/pkg/records"
	"gati.dev/gati/pkg/rollout"
	"gati.dev/gati/pkg/seen"
)

// handler does what the controller does of a handler, up to the first write.
func (w *world) handler(ctx context.Context, h *v1.GatiHandler) (Item, error) {
	item := Item{Kind: "GatiHandler", Namespace: h.Namespace, Name: h.Name}
	s, err := w.story(ctx, h)
	if err != nil {
		return item, cluster.Explain(err)
	}
	s.Compare(&compat.Judge{})
	if len(s.Result.Errors) > 0 {
		return item, errRefused([]error{s.Result.Errors.ToAggregate()})
	}
	s.Decide(w.now, unmeasured, func(rollout.Policy) []rollout.Measurement { return nil })
	if s.Decision.Undecided {
		return item, errors.New("nothing can be decided yet: " + s.Decision.Reason)
	}
	item.Note = s.Decision.Reason
	plan, _, err := s.Plan()
	if err != nil {
		return item, err
	}
	if !s.Facts.HTTPRouteServed {
		plan = slices.DeleteFunc(plan, func(o client.Object) bool { _, is := o.(*gatewayv1.HTTPRoute); return is })
	}
	if item.Changes, err = w.changes(ctx, h, "GatiHandler", plan, s.Facts.HTTPRouteServed); err != nil {
		return item, err
	}
	return item, item.cut(s.Cut, func() (client.Object, error) { return expand.HandlerRevisionObject(h, s.Running) })
}

// unmeasured is the traffic of a workload that may be measured, and of which nothing
// is known here: what would go once it has none, stays.
func unmeasured(string) rollout.Traffic { return rollout.Traffic{Source: "unknown"} }

// story reads what the decision about a handler rests on.
func (w *world) story(ctx context.Context, h *v1.GatiHandler) (*decide.Story, error) {
	s := &decide.Story{Handler: h}
	var err error
	if s.Facts, err = w.facts(ctx, h.Namespace, h.Status.Image); err != nil {
		return nil, err
	}
	s.Result, s.Resolved = admit.Pipeline{}.Handler(h, nil, s.Facts)
	if s.Revisions, err = observe.Revisions(ctx, w.client, h, v1.LabelHandler); err != nil {
		return nil, err
	}
	if s.Workloads, err = observe.Workloads(ctx, w.client, h); err != nil {
		return nil, err
	}
	var stored v1.GatiVersionList
	if err := w.client.List(ctx, &stored, client.InNamespace(h.Namespace), client.MatchingLabels{v1.LabelHandler: h.Name}); err != nil {
		return nil, err
	}
	s.Records = records.ByVersion(w.applied.over(stored.Items, h.Namespace, h.Name))
	if !s.Facts.HTTPRouteServed {
		return s, nil
	}
	front := v1.WorkloadMain
	if ro := h.Status.Rollout; ro != nil && ro.Stable != nil {
		front = ro.Stable.Workload
	}
	s.Route, err = observe.ReadRoute(ctx, w.client, h.Namespace, h.Name, front)
	return s, err
}

// module does what the controller does of a module, up to the first write.
func (w *world) module(ctx context.Context, m *v1.GatiModule) (Item, error) {
	item := Item{Kind: "GatiModule", Namespace: m.Namespace, Name: m.Name}
	f, err := w.facts(ctx, m.Namespace, m.Status.Image)
	if err != nil {
		return item, cluster.Explain(err)
	}
	s := &decide.ModuleStory{Module: m}
	if s.Workload, err = observe.ReadWorkload(ctx, w.client, m.Namespace, naming.Module(m.Name)); err != nil {
		return item, cluster.Explain(err)
	}
	f.RuntimeClasses = runtimeClasses(m, s.Workload)
	s.Result, s.Resolved = admit.Module(m, nil, f)
	if len(s.Result.Errors) > 0 {
		return item, errRefused([]error{s.Result.Errors.ToAggregate()})
	}
	if s.Revisions, err = observe.Revisions(ctx, w.client, m, v1.LabelModule); err != nil {
		return item, cluster.Explain(err)
	}
	s.Decide()
	if item.Changes, err = w.changes(ctx, m, "GatiModule", s.Plan(), f.HTTPRouteServed); err != nil {
		return item, err
	}
	return item, item.cut(s.Cut, func() (client.Object, error) { return expand.ModuleRevisionObject(m, s.Running) })
}

// runtimeClasses is what the operator's configuration, which only gati-webhook
// reads, has made of the module's runtime so far.
func runtimeClasses(m *v1.GatiModule, live seen.Workload) map[string]string {
	if live.Deployment == nil || live.Deployment.Spec.Template.Spec.RuntimeClassName == nil {
		return nil
	}
	return map[string]string{m.Spec.Runtime: *live.Deployment.Spec.Template.Spec.RuntimeClassName}
}
