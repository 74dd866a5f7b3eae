package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "gati.dev/gati/api/v1"
)

// GatiModule is a service that handlers share, such as a database adapter.
// Applying it creates a Deployment, a Service and a NetworkPolicy named
// module-<name>. gati.dev/v1 has more fields.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:shortName=gm,categories=gati
// +kubebuilder:subresource:status
// +kubebuilder:subresource:scale:specpath=.spec.replicas,statuspath=.status.replicas,selectorpath=.status.selector
// +kubebuilder:printcolumn:name="Type",type=string,JSONPath=`.spec.moduleType`
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.ready`
// +kubebuilder:printcolumn:name="Status",type=string,JSONPath=`.status.health`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name="Image",type=string,JSONPath=`.status.image`,priority=1
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].message`,priority=1
type GatiModule struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// The desired state: what the module is and how it should run.
	// +required
	Spec GatiModuleSpec `json:"spec"`
	// The observed state and the decisions of the controller. Users do not write it.
	// +optional
	Status v1.GatiModuleStatus `json:"status,omitempty"`
}

// GatiModuleList is a list of GatiModules.
//
// +kubebuilder:object:root=true
type GatiModuleList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []GatiModule `json:"items"`
}

// GatiModuleSpec is the desired state.
type GatiModuleSpec struct {
	// The name by which handlers refer to the module. The object's name when empty.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	ModuleName string `json:"moduleName,omitempty"`

	// How the module is run: node on Node.js, wasm in a WebAssembly runtime, oci as its
	// image defines.
	// +required
	ModuleType v1.ModuleType `json:"moduleType"`

	// The runtime inside the image, such as node:20.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	Runtime string `json:"runtime,omitempty"`

	// The container image. When empty, the annotation gati.dev/image of the
	// namespace names it.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	Image string `json:"image,omitempty"`

	// The TCP port that the module listens on. The container gets it as PORT.
	// +optional
	// +kubebuilder:default=50051
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

	// The permissions of the module: capabilities of Gati, never of Linux.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=32
	Capabilities []v1.Capability `json:"capabilities,omitempty"`
}
