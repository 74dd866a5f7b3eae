package expand

import (
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// disruptionBudget lets one pod go at a time while a node is drained. It returns
// nil where there is never a second pod. Under an autoscaler there may be one: at
// one pod the budget then lets that one go.
func (w workload) disruptionBudget() *policyv1.PodDisruptionBudget {
	if w.scale.Max < 2 {
		return nil
	}
	one, always := intstr.FromInt32(1), policyv1.AlwaysAllow
	return &policyv1.PodDisruptionBudget{
		TypeMeta:   metav1.TypeMeta{APIVersion: "policy/v1", Kind: "PodDisruptionBudget"},
		ObjectMeta: w.owner.object(w.name, w.labels()),
		Spec: policyv1.PodDisruptionBudgetSpec{
			MaxUnavailable: &one,
			Selector:       &metav1.LabelSelector{MatchLabels: w.owner.selector(w.workload)},
			// A pod that never became ready must not keep a node from being drained.
			UnhealthyPodEvictionPolicy: &always,
		},
	}
}
