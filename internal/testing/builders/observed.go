package builders

import (
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"gati.dev/gati/pkg/expand"
)

// Scaled says who decides on the number of pods of a workload. Without Replicas there is no
// Deployment.
type Scaled struct {
	Replicas                                                       *int32
	HeldByOther, AutoscalerActive, HasAutoscaler, HasOwnAutoscaler bool
}

// Observed returns a workload that is scaled like that.
func (s Scaled) Observed() *expand.Observed {
	if s.Replicas == nil {
		return &expand.Observed{}
	}
	out := &expand.Observed{Deployment: &appsv1.Deployment{Spec: appsv1.DeploymentSpec{Replicas: s.Replicas}}}
	if s.HeldByOther {
		out.Deployment.ManagedFields = []metav1.ManagedFieldsEntry{
			{Manager: "kubectl-scale", FieldsV1: metav1.NewFieldsV1(`{"f:spec":{"f:replicas":{}}}`)},
		}
	}
	if s.HasAutoscaler || s.AutoscalerActive {
		out.Autoscaler = &autoscalingv2.HorizontalPodAutoscaler{ObjectMeta: metav1.ObjectMeta{Name: "a"}}
		if !s.HasOwnAutoscaler {
			out.Autoscaler.OwnerReferences = []metav1.OwnerReference{
				{APIVersion: "keda.sh/v1alpha1", Kind: "ScaledObject", Name: "a", Controller: new(true)},
			}
		}
	}
	if s.AutoscalerActive {
		out.Autoscaler.Status.Conditions = []autoscalingv2.HorizontalPodAutoscalerCondition{{Type: autoscalingv2.AbleToScale}}
	}
	return out
}
