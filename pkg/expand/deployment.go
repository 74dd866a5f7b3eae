package expand

import (
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/defaulting"
	"gati.dev/gati/pkg/rollout"
)

// replicaSetHistory is how many old ReplicaSets a Deployment keeps. Rollbacks use
// our own revisions instead.
const replicaSetHistory = 2

// Workload is a decided workload with its template and what the cluster has of it.
type Workload struct {
	rollout.WorkloadPlan
	Revision Revision
	// IsLost reports that the revision is gone. The plan has then no Deployment of the
	// workload, and all that needs no template.
	IsLost bool
	// Initial is the number of pods that an autoscaled workload starts with; zero for
	// Replicas.
	Initial int32
	// Pins are the values of the header X-Gati-Version that select this workload:
	// the version and its tags. Tagged versions keep their pins if there are more
	// than a route can hold.
	Pins []string
	// Reachable reports whether the workload's own Service has had endpoints for
	// long enough to be a backend.
	Reachable bool
	// Observed is nil where nothing of the workload is there.
	Observed *Observed

	owner    owner
	name     string
	scale    defaulting.Scale
	deadline v1.Duration
}

// workloadLabels distinguish the workload's objects from those of other workloads.
func (w Workload) workloadLabels() map[string]string {
	out := map[string]string{v1.LabelWorkload: w.Workload}
	if w.Revision.Version != "" {
		out[v1.LabelVersion] = versionLabelValue(w.Revision.Version)
	}
	return out
}

func (w Workload) newDeployment() *appsv1.Deployment {
	none, one := intstr.FromInt32(0), intstr.FromInt32(1)
	history, deadline := int32(replicaSetHistory), toSeconds(w.deadline, v1.DefaultProgressDeadline.Or(0))
	meta := w.owner.objectMeta(w.name, w.workloadLabels())
	meta.Annotations = map[string]string{v1.AnnotationRevision: w.Revision.Name}
	return &appsv1.Deployment{
		TypeMeta:   metav1.TypeMeta{APIVersion: "apps/v1", Kind: "Deployment"},
		ObjectMeta: meta,
		Spec: appsv1.DeploymentSpec{
			Replicas: w.desiredReplicas(),
			Selector: &metav1.LabelSelector{MatchLabels: w.owner.podSelector(w.Workload)},
			Template: markRestarted(labelWorkload(w.Revision.Template, w.Workload), w.RestartedAt),
			Paused:   w.Paused,
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
func markRestarted(template corev1.PodTemplateSpec, at *metav1.Time) corev1.PodTemplateSpec {
	if at != nil {
		metav1.SetMetaDataAnnotation(&template.ObjectMeta, v1.AnnotationRestartedAt, at.UTC().Format(time.RFC3339))
	}
	return template
}

// desiredReplicas returns the number of pods, or nil where an autoscaler decides.
// The number is always sent on create, and given up only once another manager owns
// it: a field without an owner falls back to 1. An autoscaler that is on its way out
// decides until it is gone.
func (w Workload) desiredReplicas() *int32 {
	switch live := w.Observed.replicas(); {
	case !w.scale.Auto && !w.Observed.hasAutoscaler() || live == nil:
		return new(w.scale.Replicas)
	case w.Observed.isHeldByOther():
		return nil
	case *live == 0 && w.Observed.hasOwnAutoscaler():
		return new(max(w.scale.Min, 1)) // A scale to 0 leaves no owner, and an autoscaler stays there.
	default:
		return new(*live)
	}
}

// newService returns the workload's own Service.
func (w Workload) newService(name, portName string, ports []int32) *corev1.Service {
	return w.owner.newService(name, w.owner.podSelector(w.Workload), portName, ports)
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
