package seen

import (
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/expand"
	kedav1alpha1 "gati.dev/gati/pkg/keda/v1alpha1"
	"gati.dev/gati/pkg/ownership"
	"gati.dev/gati/pkg/rollout"
)

// Workload is the observed state of one workload. Its zero value is one that does not
// exist; Deployment and Autoscaler are nil where they do not.
type Workload struct {
	Deployment *appsv1.Deployment
	Autoscaler *autoscalingv2.HorizontalPodAutoscaler
	Pods       []corev1.Pod
	// Reachable has for each ready pod behind a Service, its own or the front, since
	// when it could be reached. ServedSince is since when the workload's own Service has
	// had endpoints; zero where it has none.
	Reachable   []time.Time
	ServedSince time.Time
	// ExposedAt is when the first Service that leads to its pods was created, now where there
	// is none; zero where that was not looked for.
	ExposedAt time.Time
}

// Revision returns the name of the revision that the Deployment runs, empty where there
// is none.
func (w *Workload) Revision() string {
	if w.Deployment == nil {
		return ""
	}
	return w.Deployment.Annotations[v1.AnnotationRevision]
}

// HasMissedDeadline reports whether the Deployment has made no progress within its
// deadline. What its status has of an earlier spec does not count.
func (w *Workload) HasMissedDeadline() bool {
	d := w.Deployment
	if d == nil || d.Status.ObservedGeneration < d.Generation {
		return false
	}
	for _, c := range d.Status.Conditions {
		if c.Type == appsv1.DeploymentProgressing {
			return c.Status == corev1.ConditionFalse && c.Reason == string(v1.ReasonNoProgress)
		}
	}
	return false
}

// Restarts counts the restarts of the containers of its present pods.
func (w *Workload) Restarts() int32 {
	var out int32
	for i := range w.Pods {
		for _, c := range w.Pods[i].Status.ContainerStatuses {
			out += c.RestartCount
		}
	}
	return out
}

// Live returns who decides on the number of pods.
func (w *Workload) Live() expand.Live {
	if w.Deployment == nil {
		return expand.Live{}
	}
	// What applies the commit or release of a target writes in our place.
	ours := append(ownership.Labellers(w.Deployment.ManagedFields, v1.LabelTarget), v1.FieldManager)
	return expand.Live{
		Replicas:         w.Deployment.Spec.Replicas,
		HeldByOther:      ownership.FindOther(w.Deployment.ManagedFields, "replicas", ours...) != "",
		AutoscalerActive: w.Autoscaler != nil && len(w.Autoscaler.Status.Conditions) > 0,
		HasAutoscaler:    w.Autoscaler != nil,
		HasOwnAutoscaler: w.Autoscaler != nil && !kedav1alpha1.IsTaken(w.Autoscaler),
	}
}

// Progress returns how far the Deployment has come towards a revision. The status of an
// earlier spec or of another revision does not count as progress.
func (w *Workload) Progress(revision string) rollout.Observation {
	d := w.Deployment
	if d == nil {
		return rollout.Observation{}
	}
	wanted := int32(1)
	if d.Spec.Replicas != nil {
		wanted = *d.Spec.Replicas
	}
	s := d.Status
	out := rollout.Observation{Wanted: wanted, Ready: s.ReadyReplicas}
	if s.ObservedGeneration >= d.Generation && w.Revision() == revision {
		out.Updated = s.UpdatedReplicas
		out.Complete = s.UpdatedReplicas == wanted && s.Replicas == wanted
	}
	return out
}

// IsReady reports whether a pod passes its readiness check.
func IsReady(p *corev1.Pod) bool {
	return slices.ContainsFunc(p.Status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue
	})
}

// ReadyPods returns the names of the ready pods that are not ending, in order.
func (w *Workload) ReadyPods() []string {
	var out []string
	for i := range w.Pods {
		p := &w.Pods[i]
		if IsReady(p) && p.DeletionTimestamp == nil {
			out = append(out, p.Name)
		}
	}
	slices.Sort(out)
	return out
}
