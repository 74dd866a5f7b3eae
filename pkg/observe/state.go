package observe

import (
	"context"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/expand"
	"gati.dev/gati/pkg/naming"
	"gati.dev/gati/pkg/ownership"
)

// ReadWorkload reads the Deployment and the autoscaler of that name.
func ReadWorkload(ctx context.Context, r client.Reader, namespace, name string) (expand.Observed, error) {
	var (
		deployment appsv1.Deployment
		scaler     autoscalingv2.HorizontalPodAutoscaler
		out        expand.Observed
	)
	find := func(obj client.Object, found func()) func() error {
		return func() error {
			err := r.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, obj)
			if err == nil {
				found()
			}
			return client.IgnoreNotFound(err)
		}
	}
	err := runTogether(
		find(&deployment, func() { out.Deployment = &deployment }),
		find(&scaler, func() { out.Autoscaler = &scaler }),
	)
	return out, err
}

// ModulePods reads the pods of a module.
func ModulePods(ctx context.Context, r client.Reader, m *v1.GatiModule) ([]corev1.Pod, error) {
	var pods corev1.PodList
	err := r.List(ctx, &pods, client.InNamespace(m.Namespace), client.MatchingLabels{v1.LabelModule: m.Name})
	isForeign := func(p corev1.Pod) bool { return !ownership.IsPodOf(&p, naming.ModuleChild(m.Name)) }
	return slices.DeleteFunc(pods.Items, isForeign), err
}

// Revisions reads the revisions that an owner has cut. One that no release of Gati can have
// written is passed over.
func Revisions(ctx context.Context, r client.Reader, owner client.Object, label string) ([]expand.Revision, error) {
	var list appsv1.ControllerRevisionList
	err := r.List(ctx, &list, client.InNamespace(owner.GetNamespace()), client.MatchingLabels{label: owner.GetName(), v1.LabelManagedBy: v1.ManagedBy})
	if err != nil {
		return nil, err
	}
	var out []expand.Revision
	for i := range list.Items {
		cr := &list.Items[i]
		if !expand.IsRevisionOf(cr, owner) {
			continue
		}
		if revision, err := expand.ReadRevision(cr, owner); err == nil {
			out = append(out, revision)
		}
	}
	return out, nil
}
