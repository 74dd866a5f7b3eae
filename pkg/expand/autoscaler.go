package expand

import (
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	v1 "gati.dev/gati/api/v1"
)

// newAutoscaler returns the HorizontalPodAutoscaler of the workload. It sets every
// field that the API server would default, so that no other manager can claim one.
func (w Workload) newAutoscaler(a *v1.Autoscaling) *autoscalingv2.HorizontalPodAutoscaler {
	least := w.minReplicas()
	return &autoscalingv2.HorizontalPodAutoscaler{
		TypeMeta:   metav1.TypeMeta{APIVersion: "autoscaling/v2", Kind: "HorizontalPodAutoscaler"},
		ObjectMeta: w.owner.objectMeta(w.name, w.workloadLabels()),
		Spec: autoscalingv2.HorizontalPodAutoscalerSpec{
			ScaleTargetRef: autoscalingv2.CrossVersionObjectReference{APIVersion: "apps/v1", Kind: "Deployment", Name: w.name},
			MinReplicas:    &least,
			MaxReplicas:    max(w.scale.Max, least),
			Metrics:        w.newMetrics(a),
			Behavior:       a.Behavior,
		},
	}
}

// minReplicas returns the autoscaler's lower bound. Until the autoscaler is active
// it is at least the current number of pods, so that the hand-over removes none.
func (w Workload) minReplicas() int32 {
	if live := w.Observed.replicas(); live != nil && !w.Observed.isScaled() {
		return max(w.scale.Min, *live)
	}
	return w.scale.Min
}

// newMetrics returns the targets: CPU and memory, then those that the user names.
func (w Workload) newMetrics(a *v1.Autoscaling) []autoscalingv2.MetricSpec {
	var out []autoscalingv2.MetricSpec
	if w.scale.CPU > 0 {
		out = append(out, w.newUtilization(corev1.ResourceCPU, w.scale.CPU))
	}
	if w.scale.Memory > 0 {
		out = append(out, w.newUtilization(corev1.ResourceMemory, w.scale.Memory))
	}
	for _, m := range a.Metrics {
		out = append(out, newMetric(m))
	}
	return out
}

// newUtilization counts the pod's containers. Beside a sidecar it counts the own one alone: what
// a sidecar takes is no measure of the requests.
func (w Workload) newUtilization(name corev1.ResourceName, percent int32) autoscalingv2.MetricSpec {
	target := autoscalingv2.MetricTarget{Type: autoscalingv2.UtilizationMetricType, AverageUtilization: &percent}
	if container := w.Revision.scaledContainer(); container != "" {
		return autoscalingv2.MetricSpec{
			Type:              autoscalingv2.ContainerResourceMetricSourceType,
			ContainerResource: &autoscalingv2.ContainerResourceMetricSource{Name: name, Container: container, Target: target},
		}
	}
	return autoscalingv2.MetricSpec{
		Type:     autoscalingv2.ResourceMetricSourceType,
		Resource: &autoscalingv2.ResourceMetricSource{Name: name, Target: target},
	}
}

// newMetric returns a metric of the user in the words of autoscaling/v2.
func newMetric(m v1.ScalingMetric) autoscalingv2.MetricSpec {
	id := autoscalingv2.MetricIdentifier{Name: m.Name}
	if len(m.MatchLabels) > 0 {
		id.Selector = &metav1.LabelSelector{MatchLabels: m.MatchLabels}
	}
	target := newMetricTarget(m)
	switch m.Type {
	case v1.ScalingMetricOfObject:
		return autoscalingv2.MetricSpec{Type: autoscalingv2.ObjectMetricSourceType, Object: &autoscalingv2.ObjectMetricSource{
			DescribedObject: autoscalingv2.CrossVersionObjectReference{APIVersion: m.Object.APIVersion, Kind: m.Object.Kind, Name: m.Object.Name},
			Metric:          id, Target: target,
		}}
	case v1.ScalingMetricExternal:
		return autoscalingv2.MetricSpec{Type: autoscalingv2.ExternalMetricSourceType, External: &autoscalingv2.ExternalMetricSource{Metric: id, Target: target}}
	default:
		return autoscalingv2.MetricSpec{Type: autoscalingv2.PodsMetricSourceType, Pods: &autoscalingv2.PodsMetricSource{Metric: id, Target: target}}
	}
}

// newMetricTarget returns the target of a metric.
func newMetricTarget(m v1.ScalingMetric) autoscalingv2.MetricTarget {
	if m.Value != nil {
		return autoscalingv2.MetricTarget{Type: autoscalingv2.ValueMetricType, Value: m.Value}
	}
	return autoscalingv2.MetricTarget{Type: autoscalingv2.AverageValueMetricType, AverageValue: m.AverageValue}
}

// newDisruptionBudget allows one eviction at a time. It returns nil where there is
// never a second pod. An autoscaled workload with one pod may lose it.
func (w Workload) newDisruptionBudget() *policyv1.PodDisruptionBudget {
	if w.scale.Max < 2 {
		return nil
	}
	one, always := intstr.FromInt32(1), policyv1.AlwaysAllow
	return &policyv1.PodDisruptionBudget{
		TypeMeta:   metav1.TypeMeta{APIVersion: "policy/v1", Kind: "PodDisruptionBudget"},
		ObjectMeta: w.owner.objectMeta(w.name, w.workloadLabels()),
		Spec: policyv1.PodDisruptionBudgetSpec{
			MaxUnavailable: &one,
			Selector:       &metav1.LabelSelector{MatchLabels: w.owner.podSelector(w.Workload)},
			// A pod that never became ready must not keep a node from being drained.
			UnhealthyPodEvictionPolicy: &always,
		},
	}
}
