package status

import (
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/naming"
	"gati.dev/gati/pkg/ownership"
)

// ownerKey names a handler or module.
type ownerKey struct{ kind, namespace, name string }

// deploymentOf names the Deployment whose pod of the owner an object would be.
func (k ownerKey) deploymentOf(p *corev1.Pod) string {
	if k.kind == KindModule {
		return naming.ModuleChild(k.name)
	}
	return naming.DeploymentName(k.name, p.Labels[v1.LabelWorkload])
}

// targetKey names the Deployment that an autoscaler scales.
type targetKey struct{ namespace, deployment string }

// index finds children by their owner, so that a build is linear in the number
// of objects.
type index struct {
	deployments map[ownerKey][]*appsv1.Deployment
	pods        map[ownerKey][]*corev1.Pod
	autoscalers map[targetKey]*autoscalingv2.HorizontalPodAutoscaler
	records     map[ownerKey][]*v1.GatiVersion
	owners      map[ownerKey]bool
}

func newIndex(o *Objects) index {
	x := index{
		deployments: map[ownerKey][]*appsv1.Deployment{},
		pods:        map[ownerKey][]*corev1.Pod{},
		autoscalers: map[targetKey]*autoscalingv2.HorizontalPodAutoscaler{},
		records:     map[ownerKey][]*v1.GatiVersion{},
		owners:      map[ownerKey]bool{},
	}
	for i := range o.Handlers {
		x.owners[ownerKey{KindHandler, o.Handlers[i].Namespace, o.Handlers[i].Name}] = true
	}
	for i := range o.Deployments {
		appendTo(x.deployments, ownerFor(&o.Deployments[i].ObjectMeta), &o.Deployments[i])
	}
	for i := range o.Pods {
		if owner := ownerFor(&o.Pods[i].ObjectMeta); ownership.IsPodOf(&o.Pods[i], owner.deploymentOf(&o.Pods[i])) {
			appendTo(x.pods, owner, &o.Pods[i])
		}
	}
	for i := range o.Autoscalers {
		a := &o.Autoscalers[i]
		x.autoscalers[targetKey{a.Namespace, a.Spec.ScaleTargetRef.Name}] = a
	}
	for i := range o.Versions {
		r := &o.Versions[i]
		appendTo(x.records, ownerKey{KindHandler, r.Namespace, handlerFor(r)}, r)
	}
	return x
}

func appendTo[T any](m map[ownerKey][]T, key ownerKey, value T) { m[key] = append(m[key], value) }

// ownerFor reads the owner of a child from its labels: children are listed by them,
// and an ownerReference is absent under some targets.
func ownerFor(o *metav1.ObjectMeta) ownerKey {
	if name := o.Labels[v1.LabelHandler]; name != "" {
		return ownerKey{KindHandler, o.Namespace, name}
	}
	return ownerKey{KindModule, o.Namespace, o.Labels[v1.LabelModule]}
}
