package diff

import (
	"context"
	"errors"
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/client"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/cli/cluster"
	"gati.dev/gati/pkg/compat"
	"gati.dev/gati/pkg/decide"
	"gati.dev/gati/pkg/expand"
	"gati.dev/gati/pkg/naming"
	"gati.dev/gati/pkg/observe"
	"gati.dev/gati/pkg/seen"
)

// diffHandler plans a handler as its controller would.
func (w *world) diffHandler(ctx context.Context, h *v1.GatiHandler) (Item, error) {
	item := Item{Kind: "GatiHandler", Namespace: h.Namespace, Name: h.Name}
	f, err := w.readFacts(ctx, h.Namespace, h.Status.Image)
	if err != nil {
		return item, cluster.Explain(err)
	}
	s, err := observe.Stories{Reader: w.client}.Handler(ctx, h, f)
	if err != nil {
		return item, cluster.Explain(err)
	}
	s.Records = w.applied.overlayRecords(s.Records, h.Namespace, h.Name)
	s.TrafficSource = decide.Unmeasured
	plan, err := decide.Plan(&s, &compat.Judge{}, w.now)
	switch {
	case err != nil:
		return item, err
	case len(plan.Errors) > 0:
		return item, errRefused([]error{plan.Errors.ToAggregate()})
	case plan.Decision.Undecided:
		return item, errors.New("no decision is possible yet: " + plan.Decision.Reason)
	case plan.Lost != nil:
		return item, plan.Lost
	}
	item.Note = plan.Decision.Reason
	children := plan.Children
	if !f.HTTPRouteServed {
		children = slices.DeleteFunc(children, func(o client.Object) bool { _, is := o.(*gatewayv1.HTTPRoute); return is })
	}
	if item.Changes, err = w.compareChildren(ctx, h, "GatiHandler", children, f.HTTPRouteServed); err != nil {
		return item, err
	}
	return item, item.addRevision(plan.IsCut, func() (client.Object, error) { return expand.HandlerRevisionObject(h, plan.Running) })
}

// diffModule plans a module as its controller would.
func (w *world) diffModule(ctx context.Context, m *v1.GatiModule) (Item, error) {
	item := Item{Kind: "GatiModule", Namespace: m.Namespace, Name: m.Name}
	f, err := w.readFacts(ctx, m.Namespace, m.Status.Image)
	if err != nil {
		return item, cluster.Explain(err)
	}
	live, err := observe.ReadWorkload(ctx, w.client, m.Namespace, naming.ModuleChild(m.Name))
	if err != nil {
		return item, cluster.Explain(err)
	}
	f.RuntimeClasses = runtimeClasses(m, live)
	s, err := observe.Stories{Reader: w.client}.Module(ctx, m, f)
	if err != nil {
		return item, cluster.Explain(err)
	}
	if len(s.Result.Errors) > 0 {
		return item, errRefused([]error{s.Result.Errors.ToAggregate()})
	}
	plan := decide.PlanModule(&s)
	if item.Changes, err = w.compareChildren(ctx, m, "GatiModule", plan.Children, f.HTTPRouteServed); err != nil {
		return item, err
	}
	return item, item.addRevision(plan.IsCut, func() (client.Object, error) { return expand.ModuleRevisionObject(m, plan.Running) })
}

// runtimeClasses returns the runtime classes of the operator's configuration, which only gati-webhook reads, as far as the module's pods show them.
func runtimeClasses(m *v1.GatiModule, live seen.Workload) map[string]string {
	if live.Deployment == nil || live.Deployment.Spec.Template.Spec.RuntimeClassName == nil {
		return nil
	}
	return map[string]string{m.Spec.Runtime: *live.Deployment.Spec.Template.Spec.RuntimeClassName}
}
