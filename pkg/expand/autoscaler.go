package expand

import (
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// autoscaler returns the HorizontalPodAutoscaler of the workload. It has every
// field that the API server would otherwise default, so that nothing of it is
// left for another writer to claim.
func (w workload) autoscaler(behavior *autoscalingv2.HorizontalPodAutoscalerBehavior) *autoscalingv2.HorizontalPodAutoscaler {
	least := w.leastReplicas()
	return &autoscalingv2.HorizontalPodAutoscaler{
		TypeMeta:   metav1.TypeMeta{APIVersion: "autoscaling/v2", Kind: "HorizontalPodAutoscaler"},
		ObjectMeta: w.owner.object(w.name, w.labels()),
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

// leastReplicas is the autoscaler's lower bound. Until it has taken the workload
// up it is no lower than what runs, so that the hand-over takes no pod away.
func (w workload) leastReplicas() int32 {
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
