package admission

import (
	"context"
	"errors"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/admit"
	"gati.dev/gati/pkg/expand"
	"gati.dev/gati/pkg/facts"
	"gati.dev/gati/pkg/naming"
	"gati.dev/gati/pkg/observe"
	"gati.dev/gati/pkg/seen"
)

// plan is what a controller would apply for an object, as the cluster is now.
type plan struct {
	objects  []client.Object
	revision *appsv1.ControllerRevision // nil when it exists
	workload seen.Workload
}

// attempts returns the questions to ask about an object: each child, and one pod
// of each template that would make pods.
func (d *DryRun) attempts(ctx context.Context, obj client.Object, f facts.Facts) ([]attempt, error) {
	p, err := d.plan(ctx, obj, f)
	if err != nil {
		return nil, err
	}
	var out []attempt
	if p.revision != nil {
		out = append(out, d.checked(obj, p.revision))
	}
	for _, child := range p.objects {
		if _, ok := child.(*gatewayv1.HTTPRoute); ok && !f.HTTPRouteServed {
			out = append(out, attempt{kind: "HTTPRoute", name: child.GetName(), try: func(context.Context) error { return errNotServed }})
			continue
		}
		out = append(out, d.checked(obj, child))
		if deployment, ok := child.(*appsv1.Deployment); ok && makesPods(deployment, p.workload.Deployment) {
			pod := podOf(deployment)
			out = append(out, attempt{kind: "Pod", name: deployment.Name, try: func(ctx context.Context) error {
				return d.preview.Create(ctx, pod)
			}})
		}
	}
	return out, nil
}

var errNotServed = errors.New("this cluster does not serve HTTPRoute; install the Gateway API or remove spec.route")

func (d *DryRun) checked(owner, child client.Object) attempt {
	return attempt{
		kind: child.GetObjectKind().GroupVersionKind().Kind, name: child.GetName(),
		try: func(ctx context.Context) error { return d.preview.Check(ctx, owner, child) },
	}
}

// plan expands an object as its controller would: a revision whose inputs are
// known keeps its template.
func (d *DryRun) plan(ctx context.Context, obj client.Object, f facts.Facts) (plan, error) {
	switch o := obj.(type) {
	case *v1.GatiHandler:
		return d.handlerPlan(ctx, o, f)
	case *v1.GatiModule:
		return d.modulePlan(ctx, o, f)
	default:
		return plan{}, nil // A GatiVersion has no children.
	}
}

func (d *DryRun) handlerPlan(ctx context.Context, h *v1.GatiHandler, f facts.Facts) (plan, error) {
	result, resolved := admit.Handler(h, nil, f)
	revisions, out, err := d.read(ctx, h, v1.LabelHandler, naming.Handler(h.Name))
	if err != nil {
		return out, err
	}
	running, found := expand.FindRevision(revisions, result.Hash)
	if !found {
		// Where the version comes in the order of versions changes no child.
		running = expand.NewHandlerRevision(h, resolved, result.Hash, 1, revisions)
		if out.revision, err = expand.HandlerRevisionObject(h, running); err != nil {
			return out, err
		}
	}
	out.objects = expand.HandlerAlone(h, resolved, running, revisions, out.workload.Live()).Objects
	return out.typed(), nil
}

func (d *DryRun) modulePlan(ctx context.Context, m *v1.GatiModule, f facts.Facts) (plan, error) {
	result, resolved := admit.Module(m, nil, f)
	revisions, out, err := d.read(ctx, m, v1.LabelModule, naming.Module(m.Name))
	if err != nil {
		return out, err
	}
	running, found := expand.FindRevision(revisions, result.Hash)
	if !found {
		running = expand.NewModuleRevision(m, resolved, result.Hash, revisions)
		if out.revision, err = expand.ModuleRevisionObject(m, running); err != nil {
			return out, err
		}
	}
	out.objects = expand.Module(m, resolved, running, revisions, out.workload.Live()).Objects
	return out.typed(), nil
}

// read reads what a plan depends on besides its object.
func (d *DryRun) read(ctx context.Context, owner client.Object, label, workload string) ([]expand.Revision, plan, error) {
	var out plan
	revisions, err := observe.Revisions(ctx, d.live, owner, label)
	if err != nil {
		return nil, out, fmt.Errorf("read the revisions: %w", err)
	}
	if out.workload, err = observe.ReadWorkload(ctx, d.live, owner.GetNamespace(), workload); err != nil {
		return nil, out, fmt.Errorf("read the workload: %w", err)
	}
	return revisions, out, nil
}

// typed gives the revision the kind that it has in its own file of the API.
func (p plan) typed() plan {
	if p.revision != nil {
		p.revision.TypeMeta = metav1.TypeMeta{APIVersion: appsv1.SchemeGroupVersion.String(), Kind: "ControllerRevision"}
	}
	return p
}

// makesPods tells whether applying a Deployment would have pods made. Where it
// would not, a full quota is no reason to refuse.
func makesPods(planned, live *appsv1.Deployment) bool {
	if live == nil || live.Annotations[v1.AnnotationRevision] != planned.Annotations[v1.AnnotationRevision] {
		return true
	}
	return planned.Spec.Replicas != nil && live.Spec.Replicas != nil && *planned.Spec.Replicas > *live.Spec.Replicas
}

// podOf returns a pod as the Deployment would have it made.
func podOf(d *appsv1.Deployment) *corev1.Pod {
	template := d.Spec.Template.DeepCopy()
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			GenerateName: d.Name + "-", Namespace: d.Namespace,
			Labels: template.Labels, Annotations: template.Annotations,
		},
		Spec: template.Spec,
	}
}
