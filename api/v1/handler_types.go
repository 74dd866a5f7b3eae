package v1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// GatiHandler is one HTTP handler of a Gati application. Applying it creates a
// Deployment and a Service named handler-<name>, and the optional children that the
// spec asks for: an autoscaler, a disruption budget, an HTTPRoute.
//
// +kubebuilder:object:root=true
// +kubebuilder:storageversion
// +kubebuilder:resource:shortName=gh,categories=gati
// +kubebuilder:subresource:status
// +kubebuilder:subresource:scale:specpath=.spec.replicas,statuspath=.status.replicas,selectorpath=.status.selector
// +kubebuilder:printcolumn:name="Version",type=string,JSONPath=`.status.serving`
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.ready`
// +kubebuilder:printcolumn:name="Status",type=string,JSONPath=`.status.health`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name="Declared",type=string,JSONPath=`.status.version`,priority=1
// +kubebuilder:printcolumn:name="Path",type=string,JSONPath=`.spec.path`,priority=1
// +kubebuilder:printcolumn:name="Weights",type=string,JSONPath=`.status.weights`,priority=1
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].message`,priority=1
// +kubebuilder:validation:XValidation:rule="oldSelf.hasValue() || self.metadata.name.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$') && size(self.metadata.name) <= 40 && !self.metadata.name.contains('--')",message="metadata.name must start with a letter, hold only a-z, 0-9 and single hyphens, and have at most 40 characters: the names of the children are made of it",fieldPath=".metadata",optionalOldSelf=true
type GatiHandler struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// The desired state: what the handler is and how it should run.
	// +required
	Spec GatiHandlerSpec `json:"spec"`
	// The observed state and the decisions of the controller. Users do not write it.
	// +optional
	Status GatiHandlerStatus `json:"status,omitempty"`
}

// GatiHandlerList is a list of GatiHandlers.
//
// +kubebuilder:object:root=true
type GatiHandlerList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []GatiHandler `json:"items"`
}

// GatiHandlerSpec is the desired state of a handler.
//
// Pointers mark fields whose absence differs from their zero value.
//
// +kubebuilder:validation:XValidation:rule="!has(self.autoscaling) || !has(self.autoscaling.minReplicas) || !has(self.autoscaling.maxReplicas) || self.autoscaling.minReplicas <= self.autoscaling.maxReplicas",message="must not be above maxReplicas; lower minReplicas or raise maxReplicas",fieldPath=".autoscaling.minReplicas"
// +kubebuilder:validation:XValidation:rule="!has(self.env) || !self.env.exists(e, e.name == 'PORT')",message="PORT is set from spec.port; set spec.port instead",fieldPath=".env"
// +kubebuilder:validation:XValidation:rule="!has(self.env) || self.env.all(e, !has(e.valueFrom) || !has(e.valueFrom.resourceFieldRef) || !has(e.valueFrom.resourceFieldRef.divisor) || e.valueFrom.resourceFieldRef.divisor in ['0','1','1m','1k','1M','1G','1T','1P','1E','1Ki','1Mi','1Gi','1Ti','1Pi','1Ei'] || e.valueFrom.resourceFieldRef.divisor in [0, 1])",message="must have divisors that Kubernetes knows, such as 1, 1m or 1Mi",fieldPath=".env"
// +kubebuilder:validation:XValidation:rule="!has(self.rollout) || !has(self.rollout.checks) || has(self.route) || !self.rollout.checks.exists(c, c.when == 'BeforeTraffic')",message="must not run BeforeTraffic without a gateway, where pods get traffic as soon as they are ready; set spec.route, or run the check at a step",fieldPath=".rollout.checks"
// +kubebuilder:validation:XValidation:rule="!has(self.rollout) || !has(self.rollout.strategy) || self.rollout.strategy != 'Manual' || has(self.route) || !has(self.autoscaling) || !has(self.autoscaling.enabled) || !self.autoscaling.enabled",message="must not be Manual with autoscaling and without a gateway, where the numbers of pods are the shares; set spec.route or turn spec.autoscaling off",fieldPath=".rollout.strategy"
type GatiHandlerSpec struct {
	// The URL path that the handler serves, such as /users/:id. A segment may be a
	// parameter, :name or [name], and the last segment may be *, which matches any
	// rest.
	// +required
	// +kubebuilder:validation:MaxLength=512
	// +kubebuilder:validation:XValidation:rule="self.startsWith('/')",message="must start with a slash, such as /users/:id"
	// +kubebuilder:validation:XValidation:rule="!self.startsWith('/') || self.matches('^/(([A-Za-z0-9._~!$&()+,;=@%-]+|:[A-Za-z_][A-Za-z0-9_]*|\\\\[[A-Za-z_][A-Za-z0-9_]*\\\\])(/([A-Za-z0-9._~!$&()+,;=@%-]+|:[A-Za-z_][A-Za-z0-9_]*|\\\\[[A-Za-z_][A-Za-z0-9_]*\\\\]))*(/([*])?)?|[*])?$')",message="each segment must be plain text, a parameter (:name or [name]) or, last of all, *; empty segments, queries and fragments are not part of a path"
	// +kubebuilder:validation:XValidation:rule="!self.matches('(^|/)[.][.]?(/|$)')",message="must not have . or .. as a segment: clients resolve them before they ask"
	// +kubebuilder:validation:XValidation:rule="!self.matches('%([^0-9A-Fa-f]|.[^0-9A-Fa-f]|.?$|2[fF])')",message="must have two hexadecimal digits after each %, and no escaped slash"
	Path string `json:"path"`

	// The HTTP methods that the handler serves. All when empty.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=9
	Methods []HTTPMethod `json:"methods,omitempty"`

	// The version of the handler's contract: v1, v1.2, v1.2.3, with an optional
	// pre-release such as v1.2.3-rc.1, or a Timescape id such as
	// tsv:1732186200-users-001. When empty, the image's tag if that is a version, else
	// v1.
	// +optional
	Version VersionID `json:"version,omitempty"`

	// The container image. When empty, the annotation gati.dev/image of the
	// namespace names it.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-zA-Z0-9][a-zA-Z0-9._:/@-]*$')",message="must be an image reference such as registry.example.com/app:v1.2.3, without spaces"
	Image string `json:"image,omitempty"`

	// The TCP port that the handler listens on. The container gets it as PORT.
	// +optional
	// +kubebuilder:default=3000
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=65535
	Port *int32 `json:"port,omitempty"`

	// The number of pods. With autoscaling it is only the base of the derived bounds;
	// "kubectl scale" writes it.
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=10000
	Replicas *int32 `json:"replicas,omitempty"`

	// CPU and memory of each pod. When absent as a whole: requests 100m and
	// 128Mi, limits 500m and 512Mi.
	// +optional
	Resources *Resources `json:"resources,omitempty"`

	// Environment variables of the container. HOST (0.0.0.0) is added unless listed
	// here; PORT follows spec.port.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=200
	Env []corev1.EnvVar `json:"env,omitempty"`

	// Secrets and ConfigMaps whose keys become environment variables.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=32
	EnvFrom []corev1.EnvFromSource `json:"envFrom,omitempty"`

	// How the readiness of pods is checked.
	// +optional
	// +kubebuilder:default={}
	HealthCheck *HealthCheck `json:"healthCheck,omitempty"`

	// Scaling by load. Off unless enabled.
	// +optional
	Autoscaling *Autoscaling `json:"autoscaling,omitempty"`

	// How a new version or a changed template replaces the running one.
	// +optional
	// +kubebuilder:default={}
	Rollout *Rollout `json:"rollout,omitempty"`

	// The author's claims about the declared version.
	// +optional
	Timescape *Timescape `json:"timescape,omitempty"`

	// The version whose schema callers without a known X-Gati-Version speak. When
	// absent, it follows the stable version as long as no version breaks its
	// predecessor; "kubectl gati version contract" moves it across a breaking version.
	// Setting it requires the verb contract on the handler. It moves once no rollout is
	// running, rollout.rollbackWindow is over and every version with traffic serves its
	// callers.
	// +optional
	Contract VersionID `json:"contract,omitempty"`

	// How callers outside the cluster reach the handler. When absent, it has only a
	// Service inside the cluster.
	// +optional
	Route *Route `json:"route,omitempty"`

	// How versions run side by side and when they may be removed.
	// +optional
	// +kubebuilder:default={}
	Versions *VersionPolicy `json:"versions,omitempty"`

	// The JSON Schemas (draft-04 to 2020-12) of the declared version's requests
	// and responses.
	// +optional
	Schema *VersionSchema `json:"schema,omitempty"`

	// Names of GatiModules in the same namespace that the handler calls. The container
	// gets each module's host name in GATI_MODULE_<NAME> and its port in
	// GATI_MODULE_<NAME>__PORT. Neither changes with the module.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=32
	Modules []ObjectName `json:"modules,omitempty"`

	// Further settings of the pods. Settings that the restricted Pod Security Standard
	// forbids do not exist here.
	// +optional
	Pod *PodSettings `json:"pod,omitempty"`
}

// HTTPMethod is an HTTP request method.
//
// +kubebuilder:validation:Enum=GET;HEAD;POST;PUT;DELETE;CONNECT;OPTIONS;TRACE;PATCH
type HTTPMethod string

// VersionID names a version of a handler: v?N(.N(.N)) with an optional
// pre-release, or a Timescape id tsv:<unix seconds>-<name>-<sequence>.
//
// +kubebuilder:validation:MaxLength=128
// +kubebuilder:validation:XValidation:rule="self.matches('^v?(0|[1-9][0-9]{0,8})([.](0|[1-9][0-9]{0,8})){0,2}(-[0-9A-Za-z-]+([.][0-9A-Za-z-]+)*)?$') || self.matches('^tsv:[0-9]{10}-[a-zA-Z0-9_-]+-[0-9]+$')",message="must be a version such as v1, v1.2.3 or v1.2.3-rc.1, or a Timescape id such as tsv:1732186200-users-001"
type VersionID string

// ObjectName is the name of another Gati object in the same namespace.
//
// +kubebuilder:validation:MaxLength=40
// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$') && !self.contains('--')",message="must be the name of a Gati object: a letter first, then a-z, 0-9 and single hyphens"
type ObjectName string

// Timescape holds the author's claims about a version.
type Timescape struct {
	// The version breaks callers of its predecessor. A break that the schemas do not
	// show may be claimed; one that they show cannot be denied.
	// +optional
	Breaking *bool `json:"breaking,omitempty"`
	// The traffic that the version's automatic record starts with under the strategy
	// Manual, in percent.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=100
	RoutingWeight *int32 `json:"routingWeight,omitempty"`
}
