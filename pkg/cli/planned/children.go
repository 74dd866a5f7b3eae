package planned

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/cli/cluster"
	"gati.dev/gati/pkg/cli/exit"
	"gati.dev/gati/pkg/compat"
	"gati.dev/gati/pkg/decide"
	"gati.dev/gati/pkg/expand"
	"gati.dev/gati/pkg/facts"
	"gati.dev/gati/pkg/naming"
	"gati.dev/gati/pkg/observe"
)

// Children are the planned children of one handler or module, without those that the
// cluster has no API for.
type Children struct {
	decide.Preview
	// Routes reports whether the cluster serves HTTPRoutes.
	Routes bool
	// ScaledObjects reports whether the cluster serves those, as far as KEDA is asked for.
	ScaledObjects bool
	// Warnings are those of admission.
	Warnings []string
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
	preview, err := decide.PreviewHandler(s, &compat.Judge{}, c.Now)
	return newChildren(preview, err, f, s.Result.Warnings)
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
	preview, err := decide.PreviewModule(&s, c.Now)
	return newChildren(preview, err, f, s.Result.Warnings)
}

// newChildren returns a preview as commands show it. An object may be refused although the API
// server accepted it.
func newChildren(preview decide.Preview, err error, f facts.Facts, warnings []string) (Children, error) {
	if refused := (*decide.RefusedError)(nil); errors.As(err, &refused) {
		err = exit.With(exit.Unhealthy, fmt.Errorf("gati-webhook would refuse it: %w", refused))
	}
	if err != nil {
		return Children{}, err
	}
	preview.Children = slices.DeleteFunc(preview.Children, func(o client.Object) bool { return f.Unserved(o.GetObjectKind().GroupVersionKind().Kind) != nil })
	return Children{Preview: preview, Routes: f.HTTPRouteServed, ScaledObjects: f.ScaledObjectServed, Warnings: warnings}, nil
}

// runtimeClasses returns the runtime class of the module's pods. Only gati-webhook reads
// the operator's configuration.
func runtimeClasses(m *v1.GatiModule, live expand.Observed) map[string]string {
	if live.Deployment == nil || live.Deployment.Spec.Template.Spec.RuntimeClassName == nil {
		return nil
	}
	return map[string]string{m.Spec.Runtime: *live.Deployment.Spec.Template.Spec.RuntimeClassName}
}
