package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// GatiVersion is the record of one version of one handler: what it is called,
// whether it is in use and how much traffic it should get. It owns no workload.
// The controller writes one for each version that has none; a record that a
// user applies takes its place.
//
// +kubebuilder:object:root=true
// +kubebuilder:storageversion
// +kubebuilder:resource:shortName=gv,categories=gati
// +kubebuilder:subresource:status
// +kubebuilder:printcolumn:name="Handler",type=string,JSONPath=`.status.handler`
// +kubebuilder:printcolumn:name="Version",type=string,JSONPath=`.status.version`
// +kubebuilder:printcolumn:name="Phase",type=string,JSONPath=`.status.phase`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name="Tags",type=string,JSONPath=`.spec.tags`,priority=1
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].message`,priority=1
// +kubebuilder:validation:XValidation:rule="!has(self.spec.handler) || has(oldSelf.spec.handler) || !has(oldSelf.status) || !has(oldSelf.status.handler) || self.spec.handler == oldSelf.status.handler",message="must be the handler that the record is bound to, status.handler; delete the record and create another",fieldPath=".spec.handler"
// +kubebuilder:validation:XValidation:rule="!has(self.spec.version) || has(oldSelf.spec.version) || !has(oldSelf.status) || !has(oldSelf.status.version) || self.spec.version == oldSelf.status.version",message="must be the version that the record is bound to, status.version; delete the record and create another",fieldPath=".spec.version"
type GatiVersion struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// What is recorded.
	// +required
	Spec GatiVersionSpec `json:"spec"`
	// What the controller has seen and decided. Not for users to write.
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
	// The handler whose version this is. When empty it is found by the name of
	// the record, <handler>-<anything>, or by deploymentName.
	// +optional
	Handler ObjectName `json:"handler,omitempty"`

	// The version. When empty it is the one that the handler declares when the
	// two first meet.
	// +optional
	Version VersionID `json:"version,omitempty"`

	// When the version was made, for people to read; the order of versions is
	// that of their admission.
	// +optional
	// +kubebuilder:validation:Type=string
	// +kubebuilder:validation:Format=date-time
	// +kubebuilder:validation:Pattern=`^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]+)?(Z|[+-][0-9]{2}:[0-9]{2})$`
	Timestamp *metav1.Time `json:"timestamp,omitempty"`

	// Whether the version may be called. Yes when absent.
	// +optional
	Active *bool `json:"active,omitempty"`

	// The share of the traffic under the strategy Manual, in percent. The stable
	// version takes what the others leave if it has none.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=100
	Traffic *int32 `json:"traffic,omitempty"`

	// The version breaks the callers of the one before. More may be claimed than
	// the schemas show, never less.
	// +optional
	Breaking *bool `json:"breaking,omitempty"`

	// How requests of one version's callers are made fit for another.
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

	// Whether the version stays although it has no callers.
	// +optional
	Keep *bool `json:"keep,omitempty"`

	// The JSON Schemas (draft 2020-12) of the version's requests and responses.
	// +optional
	Schema *VersionSchema `json:"schema,omitempty"`

	// The Deployment that runs the version. It must be the one that the handler
	// keeps for it.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	DeploymentName string `json:"deploymentName,omitempty"`

	// The Service of the version. It must be the one that the handler keeps for
	// it.
	// +optional
	// +kubebuilder:validation:MaxLength=63
	ServiceName string `json:"serviceName,omitempty"`
}

// Transformer makes requests and responses of one version fit another: either a
// bare name, which is only recorded, or a pair of versions with the exported
// functions that serve the callers of from on to.
//
// +kubebuilder:validation:XValidation:rule="has(self.name) ? !has(self.from) && !has(self.to) : has(self.from) && has(self.to)",message="must have either a name, or from and to"
// +kubebuilder:validation:XValidation:rule="!has(self.from) || !has(self.to) || self.from != self.to",message="must not be the version itself; name the version that serves the callers of from",fieldPath=".to"
type Transformer struct {
	// The name of a transformer that the application knows.
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
	// The exported function that turns a request of from into one of to.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	Request string `json:"request,omitempty"`
	// The exported function that turns a response of to into one of from.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	Response string `json:"response,omitempty"`
}
