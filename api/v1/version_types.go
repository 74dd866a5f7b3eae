package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// GatiVersion is the record of one version of one handler: its names, whether it is in
// use and its share of the traffic. It owns no workload. The controller writes one for
// each version without a record; a record that a user applies replaces it.
//
// +kubebuilder:object:root=true
// +kubebuilder:storageversion
// +kubebuilder:resource:shortName=gv,categories=gati
// +kubebuilder:subresource:status
// +kubebuilder:printcolumn:name="Handler",type=string,JSONPath=`.status.handler`
// +kubebuilder:printcolumn:name="Version",type=string,JSONPath=`.status.version`
// +kubebuilder:printcolumn:name="Phase",type=string,JSONPath=`.status.phase`
// +kubebuilder:printcolumn:name="Status",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].reason`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name="Tags",type=string,JSONPath=`.spec.tags`,priority=1
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].message`,priority=1
// +kubebuilder:validation:XValidation:rule="!has(self.spec.handler) || has(oldSelf.spec.handler) || !has(oldSelf.status) || !has(oldSelf.status.handler) || self.spec.handler == oldSelf.status.handler",message="must be the handler that the record is bound to, status.handler; delete the record and create another",fieldPath=".spec.handler"
// +kubebuilder:validation:XValidation:rule="!has(self.spec.version) || has(oldSelf.spec.version) || !has(oldSelf.status) || !has(oldSelf.status.version) || self.spec.version == oldSelf.status.version",message="must be the version that the record is bound to, status.version; delete the record and create another",fieldPath=".spec.version"
type GatiVersion struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// The desired state.
	// +required
	Spec GatiVersionSpec `json:"spec"`
	// The observed state and the decisions of the controller. Users do not write it.
	// +optional
	Status GatiVersionStatus `json:"status,omitempty"`
}

// GatiVersionList is a list of GatiVersions.
//
// +kubebuilder:object:root=true
type GatiVersionList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []GatiVersion `json:"items"`
}

// GatiVersionSpec is the desired state of a version.
//
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.handler) || (has(self.handler) && self.handler == oldSelf.handler)",message="is immutable once set; delete the record and create another",fieldPath=".handler"
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.version) || (has(self.version) && self.version == oldSelf.version)",message="is immutable once set; delete the record and create another",fieldPath=".version"
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.timestamp) || (has(self.timestamp) && self.timestamp == oldSelf.timestamp)",message="is immutable once set; delete the record and create another",fieldPath=".timestamp"
// +kubebuilder:validation:XValidation:rule="!has(oldSelf.transformers) || size(oldSelf.transformers) == 0 || (has(self.transformers) && self.transformers == oldSelf.transformers)",message="is immutable once set; record a new version for new transformers",fieldPath=".transformers"
type GatiVersionSpec struct {
	// The handler of the version. When empty, the name of the record decides,
	// <handler>-<anything>, or deploymentName.
	// +optional
	Handler ObjectName `json:"handler,omitempty"`

	// The version. When empty, the version that the handler declares when it is first
	// bound to this record.
	// +optional
	Version VersionID `json:"version,omitempty"`

	// When the version was created, for display; the order of versions is that of their
	// admission.
	// +optional
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:Format=date-time
	// +kubebuilder:validation:Pattern=`^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]+)?(Z|[+-][0-9]{2}:[0-9]{2})$`
	Timestamp *metav1.Time `json:"timestamp,omitempty"`

	// Whether the version may be called. True when absent.
	// +optional
	Active *bool `json:"active,omitempty"`

	// The share of the traffic under the strategy Manual, in percent. When absent, the
	// stable version gets what the others leave.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=100
	Traffic *int32 `json:"traffic,omitempty"`

	// The version breaks callers of its predecessor. A break that the schemas do not
	// show may be claimed; one that they show cannot be denied.
	// +optional
	Breaking *bool `json:"breaking,omitempty"`

	// How requests of one version's callers are converted for another version.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	Transformers []Transformer `json:"transformers,omitempty"`

	// Names for the version, unique among the versions of the handler. A request
	// with the header X-Gati-Version may use them.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=32
	Tags []Tag `json:"tags,omitempty"`

	// Whether the version is kept although it has no callers.
	// +optional
	Keep *bool `json:"keep,omitempty"`

	// The JSON Schemas (draft-04 to 2020-12) of the version's requests and responses.
	// +optional
	Schema *VersionSchema `json:"schema,omitempty"`

	// The Deployment that runs the version. It must be the one that the handler manages
	// for it.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	DeploymentName string `json:"deploymentName,omitempty"`

	// The Service of the version. It must be the one that the handler manages for it.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	ServiceName string `json:"serviceName,omitempty"`
}

// Transformer converts requests and responses between versions. It is either a bare
// name, which is only recorded, or a pair of versions with the exported functions that
// serve the callers of from on to.
//
// +kubebuilder:validation:XValidation:rule="has(self.name) ? !has(self.from) && !has(self.to) : has(self.from) && has(self.to)",message="must have either a name, or from and to"
// +kubebuilder:validation:XValidation:rule="!has(self.from) || !has(self.to) || self.from != self.to",message="must not be the version itself; name the version that serves the callers of from",fieldPath=".to"
type Transformer struct {
	// The name of a transformer in the application.
	// +optional
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name,omitempty"`
	// The version whose callers are served.
	// +optional
	From VersionID `json:"from,omitempty"`
	// The version that serves them.
	// +optional
	To VersionID `json:"to,omitempty"`
	// The exported function that converts a request of from into one of to.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	Request string `json:"request,omitempty"`
	// The exported function that converts a response of to into one of from.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	Response string `json:"response,omitempty"`
}
