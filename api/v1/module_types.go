package v1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// GatiModule is a service that handlers share, such as a database adapter.
// Applying it creates a Deployment, a Service and a NetworkPolicy named
// module-<name>.
//
// +kubebuilder:object:root=true
// +kubebuilder:storageversion
// +kubebuilder:resource:shortName=gm,categories=gati
// +kubebuilder:subresource:status
// +kubebuilder:subresource:scale:specpath=.spec.replicas,statuspath=.status.replicas,selectorpath=.status.selector
// +kubebuilder:printcolumn:name="Type",type=string,JSONPath=`.spec.type`
// +kubebuilder:printcolumn:name="Ready",type=string,JSONPath=`.status.ready`
// +kubebuilder:printcolumn:name="Status",type=string,JSONPath=`.status.health`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name="Image",type=string,JSONPath=`.status.image`,priority=1
// +kubebuilder:printcolumn:name="Reason",type=string,JSONPath=`.status.conditions[?(@.type=="Ready")].message`,priority=1
// +kubebuilder:validation:XValidation:rule="oldSelf.hasValue() || self.metadata.name.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$') && size(self.metadata.name) <= 40 && !self.metadata.name.contains('--')",message="metadata.name must start with a letter, hold only a-z, 0-9 and single hyphens, and have at most 40 characters: the names of the children are made of it",fieldPath=".metadata",optionalOldSelf=true
type GatiModule struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// The desired state: what the module is and how it should run.
	// +required
	Spec GatiModuleSpec `json:"spec"`
	// The observed state and the decisions of the controller. Users do not write it.
	// +optional
	Status GatiModuleStatus `json:"status,omitempty"`
}

// GatiModuleList is a list of GatiModules.
//
// +kubebuilder:object:root=true
type GatiModuleList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []GatiModule `json:"items"`
}

// ModuleType is how a module is run.
//
// +kubebuilder:validation:Enum=node;wasm;oci
type ModuleType string

// The types of modules.
const (
	// ModuleNode runs on Node.js.
	ModuleNode ModuleType = "node"
	// ModuleWasm runs in a WebAssembly runtime.
	ModuleWasm ModuleType = "wasm"
	// ModuleOCI runs its image as it is.
	ModuleOCI ModuleType = "oci"
)

// Capability is a permission of a module. It is one of Gati's capabilities, never one
// of Linux's.
//
// +kubebuilder:validation:MaxLength=64
// +kubebuilder:validation:XValidation:rule="self in ['network','storage','network:egress','network:ingress','filesystem:read','filesystem:write','database:read','database:write','cache:read','cache:write','secrets:read','metrics:write','logging:write']",message="must be one of network, storage, network:egress, network:ingress, filesystem:read, filesystem:write, database:read, database:write, cache:read, cache:write, secrets:read, metrics:write; Linux capabilities cannot be granted"
// +kubebuilder:validation:XValidation:rule="!(self == 'logging:write')",message="needs no grant: what a module prints to stdout and stderr is always its log; remove it"
type Capability string

// The capabilities. docs/modules.md describes what each grants.
const (
	// CapabilityNetwork is network:egress and network:ingress.
	CapabilityNetwork Capability = "network"
	// CapabilityStorage is filesystem:write.
	CapabilityStorage Capability = "storage"
	// CapabilityNetworkEgress lets the module call anything.
	CapabilityNetworkEgress Capability = "network:egress"
	// CapabilityNetworkIngress lets any client call the module.
	CapabilityNetworkIngress Capability = "network:ingress"
	// CapabilityFilesystemRead lets the module mount volume claims read-only.
	CapabilityFilesystemRead Capability = "filesystem:read"
	// CapabilityFilesystemWrite grants a writable /data and writable volume claims.
	CapabilityFilesystemWrite Capability = "filesystem:write"
	// The next four let the module call the pods of its namespace.
	CapabilityDatabaseRead  Capability = "database:read"
	CapabilityDatabaseWrite Capability = "database:write"
	CapabilityCacheRead     Capability = "cache:read"
	CapabilityCacheWrite    Capability = "cache:write"
	// CapabilitySecretsRead lets the module use Secrets and its account's token.
	CapabilitySecretsRead Capability = "secrets:read"
	// CapabilityMetricsWrite lets namespaces with the label gati.dev/scrape=true call
	// the module.
	CapabilityMetricsWrite Capability = "metrics:write"
	// CapabilityLoggingWrite is refused: a module's output is always its log.
	CapabilityLoggingWrite Capability = "logging:write"
)

// GatiModuleSpec is the desired state of a module.
//
// +kubebuilder:validation:XValidation:rule="!has(self.autoscaling) || !has(self.autoscaling.keda) || !has(self.autoscaling.keda.scaleToZero)",message="must not be set: a module has no version that only a header reaches; remove it",fieldPath=".autoscaling.keda.scaleToZero"
// +kubebuilder:validation:XValidation:rule="!has(self.autoscaling) || !has(self.autoscaling.warmPool)",message="must not be set: a module has no steps; remove it",fieldPath=".autoscaling.warmPool"
// +kubebuilder:validation:XValidation:rule="!has(self.autoscaling) || !has(self.autoscaling.warmReplicas)",message="must not be set: a module has no version before; remove it",fieldPath=".autoscaling.warmReplicas"
// +kubebuilder:validation:XValidation:rule="!has(self.autoscaling) || !has(self.autoscaling.minReplicas) || !has(self.autoscaling.maxReplicas) || self.autoscaling.minReplicas <= self.autoscaling.maxReplicas",message="must not be above maxReplicas; lower minReplicas or raise maxReplicas",fieldPath=".autoscaling.minReplicas"
// +kubebuilder:validation:XValidation:rule="!has(self.env) || !self.env.exists(e, e.name == 'PORT')",message="PORT is set from spec.port; set spec.port instead",fieldPath=".env"
// +kubebuilder:validation:XValidation:rule="!has(self.env) || self.env.all(e, !has(e.valueFrom) || !has(e.valueFrom.resourceFieldRef) || !has(e.valueFrom.resourceFieldRef.divisor) || e.valueFrom.resourceFieldRef.divisor in ['0','1','1m','1k','1M','1G','1T','1P','1E','1Ki','1Mi','1Gi','1Ti','1Pi','1Ei'] || e.valueFrom.resourceFieldRef.divisor in [0, 1])",message="must have divisors that Kubernetes knows, such as 1, 1m or 1Mi",fieldPath=".env"
// +kubebuilder:validation:XValidation:rule="!has(self.env) || (has(self.capabilities) && 'secrets:read' in self.capabilities) || !self.env.exists(e, has(e.valueFrom) && has(e.valueFrom.secretKeyRef))",message="a Secret needs the capability secrets:read; add it to spec.capabilities, or use no Secret",fieldPath=".env"
// +kubebuilder:validation:XValidation:rule="!has(self.pod) || !has(self.pod.automountServiceAccountToken) || !self.pod.automountServiceAccountToken || (has(self.capabilities) && 'secrets:read' in self.capabilities)",message="a token needs the capability secrets:read; add it to spec.capabilities, or mount no token",fieldPath=".pod.automountServiceAccountToken"
type GatiModuleSpec struct {
	// How the module is run: node on Node.js, wasm in a WebAssembly runtime, oci as its
	// image defines.
	// +required
	Type ModuleType `json:"type"`

	// The name by which handlers refer to the module. The object's name when empty.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	ModuleName string `json:"moduleName,omitempty"`

	// The runtime inside the image, such as node:20 or wasmtime. For type wasm, the
	// operator's configuration maps it to a runtime class.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	Runtime string `json:"runtime,omitempty"`

	// The container image. When empty, the annotation gati.dev/image of the
	// namespace names it.
	// +optional
	// +kubebuilder:validation:MaxLength=512
	// +kubebuilder:validation:XValidation:rule="self.matches('^[a-zA-Z0-9][a-zA-Z0-9._:/@-]*$')",message="must be an image reference such as registry.example.com/app:v1.2.3, without spaces"
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
	Resources *Resources `json:"resources,omitempty"`

	// Environment variables of the container. HOST (0.0.0.0) is added unless listed
	// here; PORT follows spec.port.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=200
	Env []corev1.EnvVar `json:"env,omitempty"`

	// The module's own settings. The container gets them as environment variables of
	// the same names, after Gati's own and before env.
	// +optional
	// +kubebuilder:validation:MaxProperties=200
	// +kubebuilder:validation:XValidation:rule="self.all(k, k.matches('^[A-Za-z_][A-Za-z0-9_]*$'))",message="each key must be a name of an environment variable: letters, digits and underscores, no digit first"
	Config map[string]string `json:"config,omitempty"`

	// The permissions of the module. Without network it may answer but not call;
	// without storage only /tmp and /app/.gati are writable; without secrets:read it
	// has no Secret and no token. docs/modules.md has the table.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=32
	Capabilities []Capability `json:"capabilities,omitempty"`

	// Scaling by load. Off unless enabled.
	// +optional
	Autoscaling *Autoscaling `json:"autoscaling,omitempty"`

	// How a change of the pods is rolled out.
	// +optional
	Rollout *ModuleRollout `json:"rollout,omitempty"`

	// How the readiness of pods is checked.
	// +optional
	// +kubebuilder:default={}
	HealthCheck *ModuleHealthCheck `json:"healthCheck,omitempty"`

	// Further settings of the pods.
	// +optional
	Pod *PodSettings `json:"pod,omitempty"`
}

// ModuleRollout sets how a change of a module's pods is rolled out: pod by pod, and
// back to the previous template when the new pods fail.
type ModuleRollout struct {
	// How long new pods may make no progress before the change counts as failed.
	// +optional
	// +kubebuilder:default="10m"
	ProgressDeadline Duration `json:"progressDeadline,omitempty"`
	// Whether a failed change is rolled back automatically.
	// +optional
	// +kubebuilder:default=true
	AutoRollback *bool `json:"autoRollback,omitempty"`
}
