package observe

import (
	"encoding/json"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/expand"
	"gati.dev/gati/pkg/rollout"
)

// Live returns who decides on the number of a Deployment's pods. Either may be
// nil.
func Live(d *appsv1.Deployment, hpa *autoscalingv2.HorizontalPodAutoscaler) expand.Live {
	if d == nil {
		return expand.Live{}
	}
	return expand.Live{
		Replicas:         d.Spec.Replicas,
		HeldByOther:      replicasHeldByOther(d.ManagedFields),
		AutoscalerActive: hpa != nil && len(hpa.Status.Conditions) > 0,
	}
}

// replicasHeldByOther tells whether another manager than ours owns
// spec.replicas, as the autoscaler does once it has scaled.
func replicasHeldByOther(entries []metav1.ManagedFieldsEntry) bool {
	return slices.ContainsFunc(entries, func(e metav1.ManagedFieldsEntry) bool {
		if e.Manager == v1.FieldManager || e.FieldsV1 == nil {
			return false
		}
		var owned struct {
			Spec map[string]json.RawMessage `json:"f:spec"`
		}
		if json.Unmarshal(e.FieldsV1.GetRawBytes(), &owned) != nil {
			return false
		}
		_, held := owned.Spec["f:replicas"]
		return held
	})
}

// Progress returns how far a Deployment has come towards a revision. The status
// of an earlier spec or of another revision does not count as progress.
func Progress(d *appsv1.Deployment, revision string) rollout.Observation {
	if d == nil {
		return rollout.Observation{}
	}
	wanted := int32(1)
	if d.Spec.Replicas != nil {
		wanted = *d.Spec.Replicas
	}
	s := d.Status
	out := rollout.Observation{Wanted: wanted, Ready: s.ReadyReplicas}
	if s.ObservedGeneration >= d.Generation && d.Annotations[v1.AnnotationRevision] == revision {
		out.Updated = s.UpdatedReplicas
		out.Complete = s.UpdatedReplicas == wanted && s.Replicas == wanted
	}
	return out
}
