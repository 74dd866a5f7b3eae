package status

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestViewAutoscaler holds what keeps an autoscaler from the number that it wants.
func TestViewAutoscaler(t *testing.T) {
	least, yes := int32(2), true
	is := func(kind autoscalingv2.HorizontalPodAutoscalerConditionType, status corev1.ConditionStatus, reason string) autoscalingv2.HorizontalPodAutoscalerCondition {
		return autoscalingv2.HorizontalPodAutoscalerCondition{Type: kind, Status: status, Reason: reason, Message: "because"}
	}
	view := func(change func(*Autoscaler)) Autoscaler {
		a := Autoscaler{Name: "handler-a", Min: 2, Max: 6, Current: 3, Desired: 4}
		change(&a)
		return a
	}
	tests := map[string]struct {
		owner      string
		conditions []autoscalingv2.HorizontalPodAutoscalerCondition
		want       Autoscaler
	}{
		"free":                {"GatiHandler", nil, view(func(*Autoscaler) {})},
		"of KEDA":             {"ScaledObject", nil, view(func(a *Autoscaler) { a.Keda = true })},
		"at its maximum":      {"", []autoscalingv2.HorizontalPodAutoscalerCondition{is(autoscalingv2.ScalingLimited, corev1.ConditionTrue, "TooManyReplicas")}, view(func(a *Autoscaler) { a.Limit = LimitMaximum })},
		"at its minimum":      {"", []autoscalingv2.HorizontalPodAutoscalerCondition{is(autoscalingv2.ScalingLimited, corev1.ConditionTrue, "TooFewReplicas")}, view(func(a *Autoscaler) { a.Limit = LimitMinimum })},
		"as fast as it may":   {"", []autoscalingv2.HorizontalPodAutoscalerCondition{is(autoscalingv2.ScalingLimited, corev1.ConditionTrue, "ScaleUpLimit")}, view(func(a *Autoscaler) { a.Limit = LimitRate })},
		"within its bounds":   {"", []autoscalingv2.HorizontalPodAutoscalerCondition{is(autoscalingv2.ScalingLimited, corev1.ConditionFalse, "DesiredWithinRange")}, view(func(*Autoscaler) {})},
		"without metrics":     {"", []autoscalingv2.HorizontalPodAutoscalerCondition{is(autoscalingv2.ScalingActive, corev1.ConditionFalse, "FailedGetResourceMetric")}, view(func(a *Autoscaler) { a.Message = "FailedGetResourceMetric: because" })},
		"scaled to no pod":    {"ScaledObject", []autoscalingv2.HorizontalPodAutoscalerCondition{is(autoscalingv2.ScalingActive, corev1.ConditionFalse, "ScalingDisabled")}, view(func(a *Autoscaler) { a.Keda, a.Message = true, "ScalingDisabled: because" })},
		"with metrics, again": {"", []autoscalingv2.HorizontalPodAutoscalerCondition{is(autoscalingv2.ScalingActive, corev1.ConditionTrue, "ValidMetricFound")}, view(func(*Autoscaler) {})},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			a := &autoscalingv2.HorizontalPodAutoscaler{
				ObjectMeta: metav1.ObjectMeta{Name: "handler-a"},
				Spec:       autoscalingv2.HorizontalPodAutoscalerSpec{MinReplicas: &least, MaxReplicas: 6},
				Status:     autoscalingv2.HorizontalPodAutoscalerStatus{CurrentReplicas: 3, DesiredReplicas: 4, Conditions: tc.conditions},
			}
			if tc.owner != "" {
				a.OwnerReferences = []metav1.OwnerReference{{APIVersion: "keda.sh/v1alpha1", Kind: tc.owner, Name: "handler-a", Controller: &yes}}
			}
			if diff := cmp.Diff(&tc.want, viewAutoscaler(a)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
