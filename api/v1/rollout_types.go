package v1

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"
)

// Strategy is how a new version replaces the previous one.
//
// +kubebuilder:validation:Enum=RollingUpdate;Canary;Manual
type Strategy string

// The strategies.
const (
	// StrategyRollingUpdate updates one Deployment in place.
	StrategyRollingUpdate Strategy = "RollingUpdate"
	// StrategyCanary moves traffic to a new workload in steps.
	StrategyCanary Strategy = "Canary"
	// StrategyManual leaves the traffic of each version to its GatiVersion.
	StrategyManual Strategy = "Manual"
)

// Rollout is how a new version or a changed template replaces the running one.
//
// +kubebuilder:validation:XValidation:rule="!has(self.checks) || size(self.checks) == 0 || self.strategy == 'Canary'",message="needs strategy: Canary; remove checks or change the strategy",fieldPath=".checks"
type Rollout struct {
	// RollingUpdate replaces pods one by one, Canary moves traffic in steps,
	// Manual leaves the traffic to the GatiVersions. After a change a running
	// rollout goes on from the weight that it has.
	// +optional
	// +kubebuilder:default=RollingUpdate
	Strategy Strategy `json:"strategy,omitempty"`
	// The steps of a Canary: 10 % for 5m, 50 % for 10m, then 100 % when absent.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=20
	Steps []RolloutStep `json:"steps,omitempty"`
	// Plans the weights and pauses of a Canary's steps by the measured traffic when its
	// rollout begins. Where that is not known, the steps are taken as they are.
	// +optional
	AutoSteps *AutoSteps `json:"autoSteps,omitempty"`
	// What the traffic of a Canary's new version must show before each further step.
	// +optional
	Analysis *Analysis `json:"analysis,omitempty"`
	// Jobs that run against a Canary's new version: smoke tests, load tests.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=8
	// +kubebuilder:validation:XValidation:rule="self.all(c, self.filter(d, d.name == c.name).size() == 1)",message="names must be unique"
	Checks []RolloutCheck `json:"checks,omitempty"`
	// How long a rollout may make no progress before it counts as failed.
	// +optional
	// +kubebuilder:default="10m"
	ProgressDeadline Duration `json:"progressDeadline,omitempty"`
	// How long the previous version stays at full capacity after a rollout, so that a
	// rollback is immediate.
	// +optional
	// +kubebuilder:default="10m"
	RollbackWindow Duration `json:"rollbackWindow,omitempty"`
	// Whether a failed rollout is rolled back automatically.
	// +optional
	// +kubebuilder:default=true
	AutoRollback *bool `json:"autoRollback,omitempty"`
}

// AutoSteps is what planned steps are held to. There are as many as in steps; the first has
// the largest weight, of at most 50 %, that keeps it, and the others rise evenly.
type AutoSteps struct {
	// The number of bad requests within which a fault of analysis.detect shows in the first
	// step.
	// +optional
	// +kubebuilder:default=100
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1000000
	Harm *int32 `json:"harm,omitempty"`
}

// RolloutStep is one step of a Canary.
type RolloutStep struct {
	// The share of the traffic that the new version gets, in percent.
	// +required
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=100
	Weight int32 `json:"weight"`
	// How long the step lasts. Until promoted when absent.
	// +optional
	Pause Duration `json:"pause,omitempty"`
}

// Compatibility is the guarantee that the schema of a new version must keep.
//
// +kubebuilder:validation:Enum=NONE;BACKWARD;FORWARD;FULL
type Compatibility string

// The degrees of compatibility.
const (
	CompatibilityNone     Compatibility = "NONE"
	CompatibilityBackward Compatibility = "BACKWARD"
	CompatibilityForward  Compatibility = "FORWARD"
	CompatibilityFull     Compatibility = "FULL"
)

// VersionPolicy sets how versions run side by side and when they may be removed.
type VersionPolicy struct {
	// What a new version's schema must guarantee: BACKWARD lets callers of the previous
	// version call the new one, FORWARD the reverse, FULL both.
	// +optional
	// +kubebuilder:default=BACKWARD
	Compatibility Compatibility `json:"compatibility,omitempty"`
	// Compare with every live version instead of the stable one only.
	// +optional
	// +kubebuilder:default=false
	Transitive *bool `json:"transitive,omitempty"`
	// When a version without traffic counts as drained.
	// +optional
	// +kubebuilder:default={}
	Drain *Drain `json:"drain,omitempty"`
	// How long a version that is reached by header only may have no request before it
	// drains.
	// +optional
	// +kubebuilder:default="7d"
	ColdAfter Duration `json:"coldAfter,omitempty"`
	// The minimum number of versions to keep.
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=100
	MinActive *int32 `json:"minActive,omitempty"`
	// The minimum age before a version is removed.
	// +optional
	// +kubebuilder:default="1h"
	MinAge Duration `json:"minAge,omitempty"`
	// How many revisions of the pod template are kept for rollbacks, in addition to
	// those in use, and how many removed versions the status lists at least. An older
	// one leaves the list, and its automatic record is deleted, once nothing needs it.
	// +optional
	// +kubebuilder:default=10
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=100
	HistoryLimit *int32 `json:"historyLimit,omitempty"`
	// Tags that protect their version from removal.
	// +optional
	// +listType=set
	// +kubebuilder:default={"stable","production","latest"}
	// +kubebuilder:validation:MaxItems=32
	ProtectedTags []Tag `json:"protectedTags,omitempty"`
}

// Drain sets when a version without traffic counts as drained.
type Drain struct {
	// How long the measured traffic must be zero.
	// +optional
	// +kubebuilder:default="5m"
	Window Duration `json:"window,omitempty"`
	// When a drain ends if nothing can measure traffic.
	// +optional
	// +kubebuilder:default="1h"
	Deadline Duration `json:"deadline,omitempty"`
}

// Tag is a name that a user gives to one version of a handler.
//
// +kubebuilder:validation:MaxLength=63
// +kubebuilder:validation:XValidation:rule="self.matches('^[a-z0-9]([a-z0-9._-]*[a-z0-9])?$') && !self.matches('^[0-9]+$')",message="must hold only a-z, 0-9, dots, hyphens and underscores, start and end with a letter or digit, and not be a number: the runtime reads numbers as times"
type Tag string

// VersionSchema holds the schemas of a version's requests and responses, as JSON Schema
// documents of draft-04 to 2020-12, kept as written.
type VersionSchema struct {
	// What requests must satisfy.
	// +optional
	// +kubebuilder:pruning:PreserveUnknownFields
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=object
	Input *apiextensionsv1.JSON `json:"input,omitempty"`
	// What responses satisfy.
	// +optional
	// +kubebuilder:pruning:PreserveUnknownFields
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=object
	Output *apiextensionsv1.JSON `json:"output,omitempty"`
}

// PathMatch is how the gateway matches a path.
//
// +kubebuilder:validation:Enum=Exact;PathPrefix;RegularExpression
type PathMatch string

// The ways to match a path.
const (
	PathMatchExact  PathMatch = "Exact"
	PathMatchPrefix PathMatch = "PathPrefix"
	PathMatchRegex  PathMatch = "RegularExpression"
)

// Route asks for an HTTPRoute of the Gateway API in front of the handler.
type Route struct {
	// The Gateways, or other parents, that the route attaches to.
	// +required
	// +listType=atomic
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=32
	ParentRefs []gatewayv1.ParentReference `json:"parentRefs"`
	// The host names of the route. All of the Gateway's when empty.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	Hostnames []gatewayv1.Hostname `json:"hostnames,omitempty"`
	// How the path is matched. By default Exact for a path without parameters and
	// PathPrefix for one that ends in *. For a path with parameters it has to be set:
	// to RegularExpression where the gateway offers it, or to PathPrefix.
	// +optional
	PathMatch PathMatch `json:"pathMatch,omitempty"`
	// Filters on every rule of the route. A RequestRedirect needs a route of its own; a type
	// of filter is not repeated, except RequestMirror and ExtensionRef.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	Filters []gatewayv1.HTTPRouteFilter `json:"filters,omitempty"`
	// Declares that requests reach the pods only through the route. The gateway's
	// request count is then evidence that a version has no callers left.
	// +optional
	OnlyPath *bool `json:"onlyPath,omitempty"`
	// Timeouts of every rule of the route.
	// +optional
	Timeouts *gatewayv1.HTTPRouteTimeouts `json:"timeouts,omitempty"`
}
