package expand

import (
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// newAutoscaler returns the HorizontalPodAutoscaler of the workload. It sets every
// field that the API server would default, so that no other manager can claim one.
func (w workload) newAutoscaler(behavior *autoscalingv2.HorizontalPodAutoscalerBehavior) *autoscalingv2.HorizontalPodAutoscaler {
	least := w.minReplicas()
	return &autoscalingv2.HorizontalPodAutoscaler{
		TypeMeta:   metav1.TypeMeta{APIVersion: "autoscaling/v2", Kind: "HorizontalPodAutoscaler"},
		ObjectMeta: w.owner.objectMeta(w.name, w.labels()),
		Spec: autoscalingv2.HorizontalPodAutoscalerSpec{
			ScaleTargetRef: autoscalingv2.CrossVersionObjectReference{APIVersion: "apps/v1", Kind: "Deployment", Name: w.name},
			MinReplicas:    &least,
			MaxReplicas:    max(w.scale.Max, least),
			Metrics: []autoscalingv2.MetricSpec{
				utilization(corev1.ResourceCPU, w.scale.CPU),
				utilization(corev1.ResourceMemory, w.scale.Memory),
			},
			Behavior: behavior,
		},
	}
}

// minReplicas returns the autoscaler's lower bound. Until the autoscaler is active
// it is at least the current number of pods, so that the hand-over removes none.
func (w workload) minReplicas() int32 {
	if !w.live.AutoscalerActive && w.live.Replicas != nil {
		return max(w.scale.Min, *w.live.Replicas)
	}
	return w.scale.Min
}

func utilization(name corev1.ResourceName, percent int32) autoscalingv2.MetricSpec {
	return autoscalingv2.MetricSpec{
		Type: autoscalingv2.ResourceMetricSourceType,
		Resource: &autoscalingv2.ResourceMetricSource{Name: name, Target: autoscalingv2.MetricTarget{
			Type: autoscalingv2.UtilizationMetricType, AverageUtilization: &percent,
		}},
	}
}
