package expand

import (
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// newDisruptionBudget allows one eviction at a time. It returns nil where there is
// never a second pod. An autoscaled workload with one pod may lose it.
func (w workload) newDisruptionBudget() *policyv1.PodDisruptionBudget {
	if w.scale.Max < 2 {
		return nil
	}
	one, always := intstr.FromInt32(1), policyv1.AlwaysAllow
	return &policyv1.PodDisruptionBudget{
		TypeMeta:   metav1.TypeMeta{APIVersion: "policy/v1", Kind: "PodDisruptionBudget"},
		ObjectMeta: w.owner.objectMeta(w.name, w.labels()),
		Spec: policyv1.PodDisruptionBudgetSpec{
			MaxUnavailable: &one,
			Selector:       &metav1.LabelSelector{MatchLabels: w.owner.podSelector(w.workload)},
			// A pod that never became ready must not keep a node from being drained.
			UnhealthyPodEvictionPolicy: &always,
		},
	}
}
