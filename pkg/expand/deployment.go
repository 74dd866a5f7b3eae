package expand

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/defaulting"
)

// replicaSetHistory is how many old ReplicaSets a Deployment keeps. Our own
// revisions are what one goes back to.
const replicaSetHistory = 2

// workload is one Deployment and what scales and protects it.
type workload struct {
	owner    owner
	name     string
	workload string
	revision Revision
	scale    defaulting.Scale
	deadline v1.Duration
	live     Live

	paused      bool
	restartedAt string
}

// labels tell the workload's objects apart from those of others.
func (w workload) labels() map[string]string {
	out := map[string]string{v1.LabelWorkload: w.workload}
	if w.revision.Version != "" {
		out[v1.LabelVersion] = versionLabel(w.revision.Version)
	}
	return out
}

func (w workload) deployment() *appsv1.Deployment {
	none, one := intstr.FromInt32(0), intstr.FromInt32(1)
	history, deadline := int32(replicaSetHistory), seconds(w.deadline, v1.DefaultProgressDeadline.Or(0))
	meta := w.owner.object(w.name, w.labels())
	meta.Annotations = map[string]string{v1.AnnotationRevision: w.revision.Name}
	return &appsv1.Deployment{
		TypeMeta:   metav1.TypeMeta{APIVersion: "apps/v1", Kind: "Deployment"},
		ObjectMeta: meta,
		Spec: appsv1.DeploymentSpec{
			Replicas: w.replicas(),
			Selector: &metav1.LabelSelector{MatchLabels: w.owner.selector(w.workload)},
			Template: restarted(placed(w.revision.Template, w.workload), w.restartedAt),
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

// restarted marks a template as kubectl rollout restart does, by a name of our own:
// both may ask for new pods, and neither takes the other's mark away.
func restarted(template corev1.PodTemplateSpec, at string) corev1.PodTemplateSpec {
	if at != "" {
		metav1.SetMetaDataAnnotation(&template.ObjectMeta, v1.AnnotationRestartedAt, at)
	}
	return template
}

// replicas is the number of pods to ask for, or nil where an autoscaler decides.
// The number is always sent on create. Later it is given up only once another
// manager owns it: a field that nobody owns falls back to 1.
func (w workload) replicas() *int32 {
	switch {
	case !w.scale.Auto || w.live.Replicas == nil:
		n := w.scale.Replicas
		return &n
	case w.live.HeldByOther:
		return nil
	default:
		n := *w.live.Replicas
		return &n
	}
}

// service returns a Service of the workload's own.
func (w workload) service(name, portName string, port int32) *corev1.Service {
	return w.owner.service(name, w.owner.selector(w.workload), portName, port)
}

// front returns the Service by which a handler is known in the cluster. It selects
// one workload, or every one where workload is empty.
func (o owner) front(workload string, port int32) *corev1.Service {
	selector := o.selector(workload)
	if workload == "" {
		delete(selector, v1.LabelWorkload)
	}
	return o.service(o.child, selector, HandlerPort, port)
}

// service returns a Service. It goes to the port by name, so that pods of two
// templates may listen on different ones.
func (o owner) service(name string, selector map[string]string, portName string, port int32) *corev1.Service {
	return &corev1.Service{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Service"},
		ObjectMeta: o.object(name, nil),
		Spec: corev1.ServiceSpec{
			Type:     corev1.ServiceTypeClusterIP,
			Selector: selector,
			Ports: []corev1.ServicePort{{
				Name: portName, Port: port, TargetPort: intstr.FromString(portName), Protocol: corev1.ProtocolTCP,
			}},
		},
	}
}
