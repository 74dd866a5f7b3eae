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
	"gati.dev/gati/pkg/decide"
	"gati.dev/gati/pkg/expand"
	"gati.dev/gati/pkg/facts"
	kedav1alpha1 "gati.dev/gati/pkg/keda/v1alpha1"
	"gati.dev/gati/pkg/observe"
	"gati.dev/gati/pkg/seen"
)

// plan returns the objects that a controller would apply next in the current cluster.
type plan struct {
	children []client.Object
	revision *appsv1.ControllerRevision // nil where it exists
	// workloads are by the value of the label gati.dev/workload.
	workloads map[string]*seen.Workload
}

// Errors about children that the cluster has no API for.
var (
	errRouteNotServed        = errors.New("this cluster does not serve HTTPRoute; install the Gateway API or remove spec.route")
	errScaledObjectNotServed = errors.New("this cluster does not serve ScaledObject; install KEDA or remove spec.autoscaling.keda")
)

// checkServed returns an error for a child that the cluster has no API for.
func checkServed(child client.Object, f facts.Facts) error {
	switch child.(type) {
	case *gatewayv1.HTTPRoute:
		if !f.HTTPRouteServed {
			return errRouteNotServed
		}
	case *kedav1alpha1.ScaledObject:
		if !f.ScaledObjectServed {
			return errScaledObjectNotServed
		}
	}
	return nil
}

// attempts returns the questions to ask about an object: each child, and one pod
// of each template that would make pods.
func (d *DryRun) attempts(ctx context.Context, obj, old client.Object, f facts.Facts) ([]attempt, error) {
	p, err := d.plan(ctx, obj, old, f)
	if err != nil {
		return nil, err
	}
	var out []attempt
	if p.revision != nil {
		p.revision.TypeMeta = metav1.TypeMeta{APIVersion: appsv1.SchemeGroupVersion.String(), Kind: "ControllerRevision"}
		out = append(out, d.checked(obj, p.revision))
	}
	for _, child := range p.children {
		if err := checkServed(child, f); err != nil {
			kind := child.GetObjectKind().GroupVersionKind().Kind
			out = append(out, attempt{kind: kind, name: child.GetName(), try: func(context.Context) error { return err }})
			continue
		}
		out = append(out, d.checked(obj, child))
		if deployment, ok := child.(*appsv1.Deployment); ok && makesPods(deployment, p.workloads[child.GetLabels()[v1.LabelWorkload]]) {
			pod := podOf(deployment)
			out = append(out, attempt{kind: "Pod", name: deployment.Name, try: func(ctx context.Context) error {
				return d.Preview.Create(ctx, pod)
			}})
		}
	}
	return out, nil
}

func (d *DryRun) checked(owner, child client.Object) attempt {
	return attempt{
		kind: child.GetObjectKind().GroupVersionKind().Kind, name: child.GetName(),
		try: func(ctx context.Context) error { return d.Preview.Check(ctx, owner, child) },
	}
}

// plan plans an object as its controller would once it is stored.
func (d *DryRun) plan(ctx context.Context, obj, old client.Object, f facts.Facts) (plan, error) {
	switch o := obj.(type) {
	case *v1.GatiHandler:
		return d.handlerPlan(ctx, o, old, f)
	case *v1.GatiModule:
		return d.modulePlan(ctx, o, old, f)
	default:
		return plan{}, nil // A GatiVersion has no children.
	}
}

func (d *DryRun) handlerPlan(ctx context.Context, h *v1.GatiHandler, old client.Object, f facts.Facts) (plan, error) {
	h = h.DeepCopy()
	h.Status = v1.GatiHandlerStatus{}
	stories := observe.Stories{Reader: d.Live}
	s, err := stories.NewHandler(h, f), error(nil)
	if stored, ok := old.(*v1.GatiHandler); ok && stored != nil {
		h.Status = stored.Status
		s, err = stories.Handler(ctx, h, f)
	}
	if err != nil {
		return plan{}, fmt.Errorf("read the state of the handler: %w", err)
	}
	s.TrafficSource = decide.Unmeasured
	planned, err := decide.Plan(&s, d.Judge.Within(ctx), d.Clock.Now())
	switch {
	case err != nil:
		return plan{}, err
	case len(planned.Errors) > 0:
		return plan{}, planned.Errors.ToAggregate()
	case planned.Decision.Undecided:
		return plan{}, errors.New("no decision is possible yet: " + planned.Decision.Reason)
	case len(planned.Lost) > 0:
		return plan{}, planned.LostTemplate()
	}
	out := plan{children: planned.Children, workloads: s.Workloads}
	if planned.IsCut {
		out.revision, err = expand.HandlerRevisionObject(h, planned.Running)
	}
	return out, err
}

func (d *DryRun) modulePlan(ctx context.Context, m *v1.GatiModule, old client.Object, f facts.Facts) (plan, error) {
	stories := observe.Stories{Reader: d.Live}
	s, err := stories.NewModule(m, f), error(nil)
	if old != nil {
		s, err = stories.Module(ctx, m, f)
	}
	if err != nil {
		return plan{}, fmt.Errorf("read the state of the module: %w", err)
	}
	planned := decide.PlanModule(&s, d.Clock.Now())
	out := plan{children: planned.Children, workloads: map[string]*seen.Workload{v1.WorkloadMain: &s.Workload}}
	if planned.IsCut {
		out.revision, err = expand.ModuleRevisionObject(m, planned.Running)
	}
	return out, err
}

// makesPods reports whether applying a Deployment would have pods made. Where it would
// not, a full quota is no reason to refuse.
func makesPods(planned *appsv1.Deployment, live *seen.Workload) bool {
	if live == nil || live.Deployment == nil || live.Revision() != planned.Annotations[v1.AnnotationRevision] {
		return planned.Spec.Replicas == nil || *planned.Spec.Replicas > 0
	}
	now := live.Deployment.Spec.Replicas
	return planned.Spec.Replicas != nil && now != nil && *planned.Spec.Replicas > *now
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
