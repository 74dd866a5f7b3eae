package admission

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/admit"
	"gati.dev/gati/pkg/decide"
	"gati.dev/gati/pkg/expand"
	"gati.dev/gati/pkg/facts"
	"gati.dev/gati/pkg/observe"
)

// planAttempts returns the questions to ask about an object: each child that a controller
// would apply next, and one pod of each template that would make pods.
func (d *DryRun) planAttempts(ctx context.Context, obj, old client.Object, f facts.Facts, checked admit.Result) ([]attempt, error) {
	p, workloads, err := d.previewPlan(ctx, obj, old, f, checked)
	if err != nil {
		return nil, err
	}
	var out []attempt
	if p.Revision != nil {
		p.Revision.TypeMeta = metav1.TypeMeta{APIVersion: appsv1.SchemeGroupVersion.String(), Kind: "ControllerRevision"}
		out = append(out, d.checkedAttempt(obj, p.Revision))
	}
	for _, child := range p.Children {
		kind := child.GetObjectKind().GroupVersionKind().Kind
		if unserved := f.Unserved(kind); unserved != nil {
			out = append(out, attempt{kind: kind, name: child.GetName(), try: func(context.Context) error { return unserved }})
			continue
		}
		out = append(out, d.checkedAttempt(obj, child))
		if deployment, ok := child.(*appsv1.Deployment); ok && makesPods(deployment, workloads[child.GetLabels()[v1.LabelWorkload]]) {
			pod := podOf(deployment)
			out = append(out, attempt{kind: "Pod", name: deployment.Name, try: func(ctx context.Context) error {
				return d.Preview.Create(ctx, pod)
			}})
		}
	}
	return out, nil
}

func (d *DryRun) checkedAttempt(owner, child client.Object) attempt {
	return attempt{
		kind: child.GetObjectKind().GroupVersionKind().Kind, name: child.GetName(),
		try: func(ctx context.Context) error { return d.Preview.Check(ctx, owner, child) },
	}
}

// previewPlan plans an object as its controller would once it is stored. It returns also the
// workloads that are there, by the value of the label gati.dev/workload.
func (d *DryRun) previewPlan(ctx context.Context, obj, old client.Object, f facts.Facts, checked admit.Result) (out decide.Preview, live map[string]*expand.Observed, err error) {
	stories := observe.Stories{Reader: d.Live}
	switch o := obj.(type) {
	case *v1.GatiHandler:
		h := *o
		h.Status = v1.GatiHandlerStatus{}
		s := decide.NewStory(&h, f, checked, *checked.Handler)
		if stored, ok := old.(*v1.GatiHandler); ok && stored != nil {
			h.Status = stored.Status
			if err := stories.ReadHandler(ctx, &s); err != nil {
				return out, nil, fmt.Errorf("read the state of the handler: %w", err)
			}
		}
		out, err = decide.PreviewHandler(s, d.Judge.Within(ctx), d.Clock.Now())
		return out, s.Workloads, err
	case *v1.GatiModule:
		s := decide.NewModuleStory(o, f, checked, *checked.Module)
		if old != nil {
			if err := stories.ReadModule(ctx, &s); err != nil {
				return out, nil, fmt.Errorf("read the state of the module: %w", err)
			}
		}
		out, err = decide.PreviewModule(&s, d.Clock.Now())
		return out, map[string]*expand.Observed{v1.WorkloadMain: &s.Workload}, err
	default:
		return out, nil, nil // A GatiVersion has no children.
	}
}

// makesPods reports whether applying a Deployment would have pods made. Where it would
// not, a full quota is no reason to refuse.
func makesPods(planned *appsv1.Deployment, live *expand.Observed) bool {
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
