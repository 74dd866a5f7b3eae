package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "gati.dev/gati/api/v1"
)

// GatiVersion is the record of one version of one handler. gati.dev/v1 has more
// fields.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:shortName=gv,categories=gati
// +kubebuilder:subresource:status
// +kubebuilder:printcolumn:name="Handler",type=string,JSONPath=`.status.handler`
// +kubebuilder:printcolumn:name="Version",type=string,JSONPath=`.status.version`
// +kubebuilder:printcolumn:name="Phase",type=string,JSONPath=`.status.phase`
// +kubebuilder:printcolumn:name="Status",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].message`,priority=1
type GatiVersion struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// What is recorded.
	// +required
	Spec GatiVersionSpec `json:"spec"`
	// The observed state and the decisions of the controller. Users do not write it.
	// +optional
	Status v1.GatiVersionStatus `json:"status,omitempty"`
}

// GatiVersionList is a list of GatiVersions.
//
// +kubebuilder:object:root=true
type GatiVersionList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []GatiVersion `json:"items"`
}

// GatiVersionSpec is the desired state.
//
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.versionId) || (has(self.versionId) && self.versionId == oldSelf.versionId)",message="is immutable once set; delete the record and create another",fieldPath=".versionId"
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.transformers) || size(oldSelf.transformers) == 0 || (has(self.transformers) && self.transformers == oldSelf.transformers)",message="is immutable once set; record a new version for new transformers",fieldPath=".transformers"
type GatiVersionSpec struct {
	// The version. When empty it is the one that the handler declares when the
	// two first meet.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=128
	VersionID string `json:"versionId,omitempty"`

	// The version breaks the callers of the one before.
	// +optional
	Breaking *bool `json:"breaking,omitempty"`

	// The share of the traffic under the strategy Manual, in percent. The stable
	// version takes what the others leave if it has none.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=100
	RoutingWeight *int32 `json:"routingWeight,omitempty"`

	// Names of transformers that the application knows.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	// +kubebuilder:validation:items:MinLength=1
	// +kubebuilder:validation:items:MaxLength=253
	Transformers []string `json:"transformers,omitempty"`

	// The Deployment that runs the version.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	DeploymentName string `json:"deploymentName,omitempty"`

	// The Service of the version.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	ServiceName string `json:"serviceName,omitempty"`
}
