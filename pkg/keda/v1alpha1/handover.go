package v1alpha1

import (
	"strings"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// IsTaken reports whether KEDA has a HorizontalPodAutoscaler: a ScaledObject of the same
// name controls it.
func IsTaken(a *autoscalingv2.HorizontalPodAutoscaler) bool {
	owner := metav1.GetControllerOf(a)
	return owner != nil && owner.Kind == Kind && owner.Name == a.Name && strings.HasPrefix(owner.APIVersion, GroupVersion.Group+"/")
}

// IsLeft reports whether a HorizontalPodAutoscaler is one that KEDA had and that its
// deleted ScaledObject has left behind.
func IsLeft(a *autoscalingv2.HorizontalPodAutoscaler) bool {
	return metav1.GetControllerOf(a) == nil && a.Annotations[AnnotationTransfer] != ""
}
