// Package v1alpha1 has the part of KEDA's ScaledObject that Gati writes and reads.
//
// KEDA's own types bring an admission webhook and its libraries with them, which the
// plugin must not link. A test in test/programs/keda holds these types against KEDA's.
//
// +kubebuilder:object:generate=true
package v1alpha1

import (
	"strings"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// AnnotationTransfer, on a ScaledObject, lets KEDA take over the
// HorizontalPodAutoscaler of the name in spec.advanced. KEDA copies the annotations of a
// ScaledObject to its HorizontalPodAutoscaler.
const AnnotationTransfer = "scaledobject.keda.sh/transfer-hpa-ownership"

// Kind is the kind of ScaledObjects.
const Kind = "ScaledObject"

// ScaledObject asks KEDA to scale a workload.
//
// +kubebuilder:object:root=true
type ScaledObject struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	Spec   ScaledObjectSpec   `json:"spec"`
	Status ScaledObjectStatus `json:"status,omitempty"`
}

// ScaledObjectList is a list of ScaledObjects.
//
// +kubebuilder:object:root=true
type ScaledObjectList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata"`
	Items           []ScaledObject `json:"items"`
}

// ScaledObjectSpec has the fields that Gati sets.
type ScaledObjectSpec struct {
	ScaleTargetRef  ScaleTarget `json:"scaleTargetRef"`
	MinReplicaCount *int32      `json:"minReplicaCount,omitempty"`
	MaxReplicaCount *int32      `json:"maxReplicaCount,omitempty"`
	Advanced        *Advanced   `json:"advanced,omitempty"`
	Triggers        []Trigger   `json:"triggers"`
}

// ScaleTarget names the workload.
type ScaleTarget struct {
	APIVersion string `json:"apiVersion,omitempty"`
	Kind       string `json:"kind,omitempty"`
	Name       string `json:"name"`
}

// Advanced has the settings of KEDA's HorizontalPodAutoscaler.
type Advanced struct {
	HorizontalPodAutoscalerConfig *HorizontalPodAutoscalerConfig `json:"horizontalPodAutoscalerConfig,omitempty"`
}

// HorizontalPodAutoscalerConfig names KEDA's HorizontalPodAutoscaler.
type HorizontalPodAutoscalerConfig struct {
	Name     string                                         `json:"name,omitempty"`
	Behavior *autoscalingv2.HorizontalPodAutoscalerBehavior `json:"behavior,omitempty"`
}

// Trigger is one thing that KEDA scales by.
type Trigger struct {
	Type              string                         `json:"type"`
	Metadata          map[string]string              `json:"metadata"`
	AuthenticationRef *AuthenticationRef             `json:"authenticationRef,omitempty"`
	MetricType        autoscalingv2.MetricTargetType `json:"metricType,omitempty"`
}

// AuthenticationRef names the credentials of a trigger.
type AuthenticationRef struct {
	Name string `json:"name"`
	Kind string `json:"kind,omitempty"`
}

// ScaledObjectStatus has the fields that Gati reads.
type ScaledObjectStatus struct {
	Conditions []Condition `json:"conditions,omitempty"`
}

// Condition is a condition of a ScaledObject. It has no time of a transition.
type Condition struct {
	Type    string                 `json:"type"`
	Status  metav1.ConditionStatus `json:"status"`
	Reason  string                 `json:"reason,omitempty"`
	Message string                 `json:"message,omitempty"`
}

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
