package expand

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/defaulting"
)

// replicaSetHistory is how many old ReplicaSets a Deployment keeps. Rollbacks use
// our own revisions instead.
const replicaSetHistory = 2

// workload is one Deployment with its autoscaler and budget.
type workload struct {
	owner    owner
	name     string
	workload string
	revision Revision
	scale    defaulting.Scale
	deadline v1.Duration
	live     Live

	// mayIdle lets KEDA take the last pod away.
	mayIdle     bool
	paused      bool
	restartedAt string
}

// workloadLabels distinguish the workload's objects from those of other workloads.
func (w workload) workloadLabels() map[string]string {
	out := map[string]string{v1.LabelWorkload: w.workload}
	if w.revision.Version != "" {
		out[v1.LabelVersion] = versionLabelValue(w.revision.Version)
	}
	return out
}

func (w workload) newDeployment() *appsv1.Deployment {
	none, one := intstr.FromInt32(0), intstr.FromInt32(1)
	history, deadline := int32(replicaSetHistory), toSeconds(w.deadline, v1.DefaultProgressDeadline.Or(0))
	meta := w.owner.objectMeta(w.name, w.workloadLabels())
	meta.Annotations = map[string]string{v1.AnnotationRevision: w.revision.Name}
	return &appsv1.Deployment{
		TypeMeta:   metav1.TypeMeta{APIVersion: "apps/v1", Kind: "Deployment"},
		ObjectMeta: meta,
		Spec: appsv1.DeploymentSpec{
			Replicas: w.desiredReplicas(),
			Selector: &metav1.LabelSelector{MatchLabels: w.owner.podSelector(w.workload)},
			Template: markRestarted(labelWorkload(w.revision.Template, w.workload), w.restartedAt),
			Paused:   w.paused,
			Strategy: appsv1.DeploymentStrategy{
				Type:          appsv1.RollingUpdateDeploymentStrategyType,
				RollingUpdate: &appsv1.RollingUpdateDeployment{MaxUnavailable: &none, MaxSurge: &one},
			},
			RevisionHistoryLimit:    &history,
			ProgressDeadlineSeconds: &deadline,
		},
	}
}

// markRestarted marks a template as kubectl rollout restart does, under our own
// annotation, so that neither removes the other's mark.
func markRestarted(template corev1.PodTemplateSpec, at string) corev1.PodTemplateSpec {
	if at != "" {
		metav1.SetMetaDataAnnotation(&template.ObjectMeta, v1.AnnotationRestartedAt, at)
	}
	return template
}

// desiredReplicas returns the number of pods, or nil where an autoscaler decides.
// The number is always sent on create, and given up only once another manager owns
// it: a field without an owner falls back to 1. An autoscaler that is on its way out
// decides until it is gone.
func (w workload) desiredReplicas() *int32 {
	switch {
	case !w.scale.Auto && !w.live.HasAutoscaler || w.live.Replicas == nil:
		n := w.scale.Replicas
		return &n
	case w.live.HeldByOther:
		return nil
	default:
		n := *w.live.Replicas
		return &n
	}
}

// newService returns the workload's own Service.
func (w workload) newService(name, portName string, ports []int32) *corev1.Service {
	return w.owner.newService(name, w.owner.podSelector(w.workload), portName, ports)
}

// frontService returns the front Service of a handler. It selects one workload, or
// all of them if workload is empty.
func (o owner) frontService(workload string, ports []int32) *corev1.Service {
	selector := o.podSelector(workload)
	if workload == "" {
		delete(selector, v1.LabelWorkload)
	}
	return o.newService(o.child, selector, HandlerPort, ports)
}

func (o owner) newService(name string, selector map[string]string, portName string, ports []int32) *corev1.Service {
	return &corev1.Service{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Service"},
		ObjectMeta: o.objectMeta(name, nil),
		Spec: corev1.ServiceSpec{
			Type:     corev1.ServiceTypeClusterIP,
			Selector: selector,
			Ports:    servicePorts(portName, ports),
		},
	}
}
