package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "gati.dev/gati/api/v1"
)

// GatiHandler is one HTTP handler of a Gati application. Applying it creates a
// Deployment and a Service named handler-<name>. gati.dev/v1 has more fields.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:shortName=gh,categories=gati
// +kubebuilder:subresource:status
// +kubebuilder:subresource:scale:specpath=.spec.replicas,statuspath=.status.replicas,selectorpath=.status.selector
// +kubebuilder:printcolumn:name="Version",type=string,JSONPath=`.status.serving`
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.ready`
// +kubebuilder:printcolumn:name="Status",type=string,JSONPath=`.status.health`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name="Declared",type=string,JSONPath=`.status.version`,priority=1
// +kubebuilder:printcolumn:name="Path",type=string,JSONPath=`.spec.handlerPath`,priority=1
// +kubebuilder:printcolumn:name="Weights",type=string,JSONPath=`.status.weights`,priority=1
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].message`,priority=1
type GatiHandler struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// The desired state: what the handler is and how it should run.
	// +required
	Spec GatiHandlerSpec `json:"spec"`
	// The observed state and the decisions of the controller. Users do not write it.
	// +optional
	Status v1.GatiHandlerStatus `json:"status,omitempty"`
}

// GatiHandlerList is a list of GatiHandlers.
//
// +kubebuilder:object:root=true
type GatiHandlerList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []GatiHandler `json:"items"`
}

// GatiHandlerSpec is the desired state.
type GatiHandlerSpec struct {
	// The URL path that the handler serves, such as /users/:id.
	// +required
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	HandlerPath string `json:"handlerPath"`

	// The version of the handler's contract, such as v1.2.3. When empty, the image's
	// tag if that is a version, else v1.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=128
	Version string `json:"version,omitempty"`

	// The container image. When empty, the annotation gati.dev/image of the
	// namespace names it.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	Image string `json:"image,omitempty"`

	// The TCP port that the handler listens on. The container gets it as PORT.
	// +optional
	// +kubebuilder:default=3000
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=65535
	Port *int32 `json:"port,omitempty"`

	// The number of pods.
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=10000
	Replicas *int32 `json:"replicas,omitempty"`

	// CPU and memory of each pod. When absent as a whole: requests 100m and
	// 128Mi, limits 500m and 512Mi.
	// +optional
	Resources *v1.Resources `json:"resources,omitempty"`

	// Environment variables of the container.
	// +optional
	// +kubebuilder:validation:MaxProperties=200
	Env map[string]string `json:"env,omitempty"`

	// The author's claims about the declared version.
	// +optional
	Timescape *v1.Timescape `json:"timescape,omitempty"`
}
