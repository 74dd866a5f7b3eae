package expand

import (
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/diagnose"
	kedav1alpha1 "gati.dev/gati/pkg/keda/v1alpha1"
	"gati.dev/gati/pkg/ownership"
	"gati.dev/gati/pkg/rollout"
)

// Observed has the objects of one workload in the cluster, and values computed from them
// without a decision. Its zero value is a workload that does not exist; Deployment and
// Autoscaler are nil where they do not. pkg/observe reads them.
type Observed struct {
	Deployment *appsv1.Deployment
	Autoscaler *autoscalingv2.HorizontalPodAutoscaler
	Pods       []corev1.Pod
	// Reachable has for each ready pod behind a Service, its own or the front, since
	// when it could be reached. ServedSince is since when the workload's own Service has
	// had endpoints; zero where it has none.
	Reachable   []time.Time
	ServedSince time.Time
	// HasEndpoints is true where Reachable was read: for handlers.
	HasEndpoints bool
	// ExposedAt is when the first Service that leads to its pods was created, now where there
	// is none; zero where that was not looked for.
	ExposedAt time.Time
}

// Exists reports whether the workload has a Deployment.
func (w *Observed) Exists() bool { return w != nil && w.Deployment != nil }

// Revision returns the name of the revision that the Deployment runs, empty where there
// is none.
func (w *Observed) Revision() string {
	if w.Deployment == nil {
		return ""
	}
	return w.Deployment.Annotations[v1.AnnotationRevision]
}

// HasMissedDeadline reports whether the Deployment has made no progress within its
// deadline. What its status has of an earlier spec does not count.
func (w *Observed) HasMissedDeadline() bool {
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

// Restarts counts the restarts of the own containers of its present pods. One of a sidecar is
// not the handler's: it counts where the pod is not ready.
func (w *Observed) Restarts() int32 {
	var out int32
	for i := range w.Pods {
		for _, c := range w.Pods[i].Status.ContainerStatuses {
			out += c.RestartCount
		}
	}
	return out
}

// replicas returns the Deployment's number of pods, nil where there is no Deployment.
func (w *Observed) replicas() *int32 {
	if !w.Exists() {
		return nil
	}
	return w.Deployment.Spec.Replicas
}

// isHeldByOther reports whether another manager owns the number of pods. What applies the
// commit or release of a target writes in our place.
func (w *Observed) isHeldByOther() bool {
	ours := append(ownership.Labellers(w.Deployment.ManagedFields, v1.LabelTarget), v1.FieldManager)
	return ownership.FindOther(w.Deployment.ManagedFields, "replicas", ours...) != ""
}

// hasAutoscaler reports whether the Deployment has a HorizontalPodAutoscaler, of ours or of
// KEDA.
func (w *Observed) hasAutoscaler() bool {
	return w.Exists() && w.Autoscaler != nil
}

// hasOwnAutoscaler reports whether KEDA has not taken the autoscaler over.
func (w *Observed) hasOwnAutoscaler() bool {
	return w.hasAutoscaler() && !kedav1alpha1.IsTaken(w.Autoscaler)
}

// Obstacle returns what others have done to the workload that stops it; nil is nothing.
func (w *Observed) Obstacle() *diagnose.Obstacle {
	if w.hasOwnAutoscaler() {
		return diagnose.FindObstacle(w.Deployment, w.Autoscaler)
	}
	return diagnose.FindObstacle(w.Deployment, nil)
}

// isScaled reports whether the autoscaler has begun to scale the Deployment.
func (w *Observed) isScaled() bool {
	return w.hasAutoscaler() && len(w.Autoscaler.Status.Conditions) > 0
}

// Progress returns how far the Deployment has come towards a revision. The status of an
// earlier spec or of another revision does not count as progress. Where the endpoints were
// read, a ready pod counts once it has one: until then no request reaches it.
func (w *Observed) Progress(revision string) rollout.Observation {
	d := w.Deployment
	if d == nil {
		return rollout.Observation{}
	}
	wanted := int32(1)
	if d.Spec.Replicas != nil {
		wanted = *d.Spec.Replicas
	}
	if wanted == 0 && w.hasOwnAutoscaler() {
		wanted = 1 // Nothing of ours leads there, so pods are missing.
	}
	s := d.Status
	out := rollout.Observation{Wanted: wanted, Ready: s.ReadyReplicas}
	if w.HasEndpoints {
		out.Ready = min(out.Ready, int32(len(w.Reachable)))
	}
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
func (w *Observed) ReadyPods() []string {
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

// settlingTime is how long a gateway is given to hear of an endpoint. The times that it
// counts from are whole seconds, rounded down.
const settlingTime = 3 * time.Second

// Settling returns the reachable pods that a gateway may not have heard of by now, and
// how long until it has heard of all. A time further in the future is of a wrong clock
// and counts for nothing.
func (w *Observed) Settling(now time.Time) (pods int32, left time.Duration) {
	for _, since := range w.Reachable {
		if more := settlingLeft(since, now); more > 0 {
			pods, left = pods+1, max(left, more)
		}
	}
	return pods, max(left, settlingLeft(w.ServedSince, now))
}

// HasSettled reports whether a gateway has heard of the workload's own Service.
func (w *Observed) HasSettled(now time.Time) bool {
	return w != nil && !w.ServedSince.IsZero() && settlingLeft(w.ServedSince, now) == 0
}

func settlingLeft(since, now time.Time) time.Duration {
	more := since.Add(settlingTime).Sub(now)
	if more > 2*settlingTime {
		return 0
	}
	return max(0, more)
}
