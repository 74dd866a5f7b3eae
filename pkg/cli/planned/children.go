package planned

import (
	"context"
	"errors"
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/client"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/cli/cluster"
	"gati.dev/gati/pkg/cli/exit"
	"gati.dev/gati/pkg/compat"
	"gati.dev/gati/pkg/decide"
	"gati.dev/gati/pkg/expand"
	"gati.dev/gati/pkg/naming"
	"gati.dev/gati/pkg/observe"
	"gati.dev/gati/pkg/seen"
)

// Children are the planned children of one handler or module.
type Children struct {
	Objects []client.Object
	// Routes reports whether the cluster serves HTTPRoutes.
	Routes bool
	// ScaledObjects reports whether the cluster serves those, as far as KEDA is asked for.
	ScaledObjects bool
	// Revision is the ControllerRevision that would be new; nil where none would.
	Revision *appsv1.ControllerRevision
	// Warnings are those of admission. Reason is that of the decision.
	Warnings []string
	Reason   string
}

// Handler plans a handler as its controller would. overlay returns the records to plan
// with, from those that are stored.
func (c *Cluster) Handler(ctx context.Context, h *v1.GatiHandler, overlay func([]v1.GatiVersion) []v1.GatiVersion) (Children, error) {
	f, err := c.readFacts(ctx, h.Namespace, h.Status.Image)
	if err != nil {
		return Children{}, cluster.Explain(err)
	}
	if err := c.readKeda(ctx, &f, client.MatchingLabels{v1.LabelHandler: h.Name}, h.Spec.Autoscaling); err != nil {
		return Children{}, err
	}
	s, err := observe.Stories{Reader: c.Reader}.Handler(ctx, h, f)
	if err != nil {
		return Children{}, cluster.Explain(err)
	}
	s.Records = overlay(s.Records)
	s.TrafficSource = decide.Unmeasured
	plan, err := decide.Plan(&s, &compat.Judge{}, c.Now)
	switch {
	case err != nil:
		return Children{}, err
	case len(plan.Errors) > 0:
		return Children{}, errRefused(plan.Errors)
	case plan.Decision.Undecided:
		return Children{}, errors.New("no decision is possible yet: " + plan.Decision.Reason)
	case len(plan.Lost) > 0:
		return Children{}, plan.LostTemplate()
	}
	out := Children{Objects: plan.Children, Routes: f.HTTPRouteServed, ScaledObjects: f.ScaledObjectServed, Warnings: s.Result.Warnings, Reason: plan.Decision.Reason}
	if !f.HTTPRouteServed {
		out.Objects = slices.DeleteFunc(out.Objects, func(o client.Object) bool { _, is := o.(*gatewayv1.HTTPRoute); return is })
	}
	if !f.ScaledObjectServed {
		out.Objects = withoutScaledObjects(out.Objects)
	}
	if plan.IsCut {
		out.Revision, err = expand.HandlerRevisionObject(h, plan.Running)
	}
	return out, err
}

// Module plans a module as its controller would.
func (c *Cluster) Module(ctx context.Context, m *v1.GatiModule) (Children, error) {
	f, err := c.readFacts(ctx, m.Namespace, m.Status.Image)
	if err != nil {
		return Children{}, cluster.Explain(err)
	}
	live, err := observe.ReadWorkload(ctx, c.Reader, m.Namespace, naming.ModuleChild(m.Name))
	if err != nil {
		return Children{}, cluster.Explain(err)
	}
	f.RuntimeClasses = runtimeClasses(m, live)
	if err := c.readKeda(ctx, &f, client.MatchingLabels{v1.LabelModule: m.Name}, m.Spec.Autoscaling); err != nil {
		return Children{}, err
	}
	s, err := observe.Stories{Reader: c.Reader}.Module(ctx, m, f)
	if err != nil {
		return Children{}, cluster.Explain(err)
	}
	if len(s.Result.Errors) > 0 {
		return Children{}, errRefused(s.Result.Errors)
	}
	plan := decide.PlanModule(&s, c.Now)
	out := Children{Objects: plan.Children, Routes: f.HTTPRouteServed, ScaledObjects: f.ScaledObjectServed, Warnings: s.Result.Warnings}
	if !f.ScaledObjectServed {
		out.Objects = withoutScaledObjects(out.Objects)
	}
	if plan.IsCut {
		out.Revision, err = expand.ModuleRevisionObject(m, plan.Running)
	}
	return out, err
}

// runtimeClasses returns the runtime class of the module's pods. Only gati-webhook reads
// the operator's configuration.
func runtimeClasses(m *v1.GatiModule, live seen.Workload) map[string]string {
	if live.Deployment == nil || live.Deployment.Spec.Template.Spec.RuntimeClassName == nil {
		return nil
	}
	return map[string]string{m.Spec.Runtime: *live.Deployment.Spec.Template.Spec.RuntimeClassName}
}

// errRefused is the error for an object that the controller would refuse although the API
// server accepted it.
func errRefused(faults field.ErrorList) error {
	return exit.With(exit.Unhealthy, fmt.Errorf("gati-webhook would refuse it: %w", faults.ToAggregate()))
}
