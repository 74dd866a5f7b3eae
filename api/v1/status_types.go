package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Conditions of all kinds, in the form that kstatus reads.
const (
	// ConditionReady is True when the declared version has its pods and all traffic, or
	// under Manual the shares that its records request, and no rollout is pending.
	ConditionReady = "Ready"
	// ConditionAvailable is True when the stable version has its pods, whatever is
	// being rolled out at the same time.
	ConditionAvailable = "Available"
	// ConditionReconciling is True while the controller has work to do, or a rollout is
	// paused. It and Stalled are never both True.
	ConditionReconciling = "Reconciling"
	// ConditionStalled is True when a user has to act first.
	ConditionStalled = "Stalled"
	// ConditionValid is True when the spec passed every check.
	ConditionValid = "Valid"
	// ConditionAccepted is True when the object is in use: a GatiVersion is the record
	// of its version.
	ConditionAccepted = "Accepted"
	// ConditionMeasured is False while traffic that a decision depends on is unknown
	// because its source has no data. It is absent when no decision depends on traffic.
	ConditionMeasured = "Measured"
	// ConditionCompatible is True when no version breaks callers of another one, or
	// transformers cover every break.
	ConditionCompatible = "Compatible"
	// ConditionModulesFound is True when every GatiModule in spec.modules exists. It is
	// absent when the list is empty.
	ConditionModulesFound = "ModulesFound"
)

// Phase is the state of a GatiHandler or GatiModule in one word.
//
// +kubebuilder:validation:Enum=Pending;Running;Failed;Decommissioned
type Phase string

// The phases of a handler or module.
const (
	// PhasePending means that pods are still missing.
	PhasePending Phase = "Pending"
	// PhaseRunning means that every desired pod is ready.
	PhaseRunning Phase = "Running"
	// PhaseFailed means that a user has to act: Stalled has the reason.
	PhaseFailed Phase = "Failed"
	// PhaseDecommissioned means that nothing runs and nothing should.
	PhaseDecommissioned Phase = "Decommissioned"
)

// Health is the verdict on a GatiHandler or GatiModule: the column STATUS.
//
// +kubebuilder:validation:Enum=Healthy;Progressing;Paused;RolledBack;Degraded;Failed;Invalid
type Health string

// The verdicts.
const (
	// Healthy means that everything requested serves.
	Healthy Health = "Healthy"
	// Progressing means that changes are under way and need no action.
	Progressing Health = "Progressing"
	// Paused means that a rollout waits for a request.
	Paused Health = "Paused"
	// RolledBack means that another version serves instead of the declared one, which
	// failed, was aborted or was rolled back.
	RolledBack Health = "RolledBack"
	// Degraded means that some pods, or the declared version, cannot serve until a user
	// acts.
	Degraded Health = "Degraded"
	// Failed means that the controller cannot go on until a user acts.
	Failed Health = "Failed"
	// Invalid means that the spec has errors; no part of it is applied.
	Invalid Health = "Invalid"
)

// GatiHandlerStatus has the observations and decisions of the controller.
type GatiHandlerStatus struct {
	// The generation of the spec that this status describes.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// The state in one word.
	// +optional
	Phase Phase `json:"phase,omitempty"`
	// The overall verdict in one word.
	// +optional
	Health Health `json:"health,omitempty"`
	// The declared version, derived where the spec names none.
	// +optional
	Version string `json:"version,omitempty"`
	// The version that serves: the stable one, which a rollback returns to. Absent
	// before the first one has a ready pod.
	// +optional
	Serving string `json:"serving,omitempty"`
	// The shares of the traffic, such as v1=90%,v2=10%.
	// +optional
	Weights string `json:"weights,omitempty"`
	// The image that results from the spec.
	// +optional
	Image string `json:"image,omitempty"`
	// How many pods of the stable workload exist, for the scale subresource.
	// status.versions has every version in service.
	// +optional
	Replicas int32 `json:"replicas,omitempty"`
	// How many pods of the stable workload are ready.
	// +optional
	ReadyReplicas int32 `json:"readyReplicas,omitempty"`
	// Ready of desired pods, such as 2/3.
	// +optional
	Ready string `json:"ready,omitempty"`
	// The label selector of the stable workload's pods, for the scale
	// subresource.
	// +optional
	Selector string `json:"selector,omitempty"`
	// The values that the controller derived for unset fields.
	// +optional
	Resolved *ResolvedStatus `json:"resolved,omitempty"`
	// The versions that the handler has admitted, oldest first. A version whose
	// template changed has an entry for each workload that still exists.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=512
	Versions []VersionStatus `json:"versions,omitempty"`
	// The state of the rollout that the controller has to remember.
	// +optional
	Rollout *RolloutStatus `json:"rollout,omitempty"`
	// The ports of the Services: the declared one, and earlier values of spec.port that
	// callers may still use. The route uses the first.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=512
	Ports []int32 `json:"ports,omitempty"`
	// What the parents of the route accept. Absent until one has answered.
	// +optional
	Route *RouteStatus `json:"route,omitempty"`
	// The hashes of the plan at admission and of the plan as applied.
	// +optional
	Plan *PlanStatus `json:"plan,omitempty"`
	// The objects that the controller manages for this one.
	// +optional
	// +listType=atomic
	Children []ChildStatus `json:"children,omitempty"`
	// The conditions that kubectl wait, Argo CD and Flux read.
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
	// When the phase, the version or the readiness last changed.
	// +optional
	LastUpdated *metav1.Time `json:"lastUpdated,omitempty"`
}

// RouteStatus is the answer of the parents of a handler's route.
type RouteStatus struct {
	// The accepted claims, oldest first. Of two handlers of a namespace, the one with
	// the older claim keeps the traffic.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=128
	Claims []ClaimStatus `json:"claims,omitempty"`
}

// ClaimStatus is a part of a gateway's traffic that the live route matches.
type ClaimStatus struct {
	// The methods, path, host and parent in one line.
	Claim string `json:"claim"`
	// When the parent first accepted it.
	Since metav1.Time `json:"since"`
}

// PlanStatus compares the plan expanded at admission with the plan that was applied.
// The hashes differ when a fact changed in between, such as the namespace's image.
type PlanStatus struct {
	// The hash that admission stamped on the applied spec.
	// +optional
	Admitted string `json:"admitted,omitempty"`
	// The hash of the plan that the controller applied for that spec.
	// +optional
	Applied string `json:"applied,omitempty"`
	// The trace id of that spec. Absent where traces are not exported.
	// +optional
	Trace string `json:"trace,omitempty"`
}

// ResolvedStatus shows the derived values.
type ResolvedStatus struct {
	// The minimum number of pods of the autoscaler.
	// +optional
	MinReplicas *int32 `json:"minReplicas,omitempty"`
	// The maximum number of pods of the autoscaler.
	// +optional
	MaxReplicas *int32 `json:"maxReplicas,omitempty"`
	// The requests and limits of each pod on one line.
	// +optional
	Resources string `json:"resources,omitempty"`
	// The unset fields, and where their values come from.
	// +optional
	// +listType=atomic
	Derived []string `json:"derived,omitempty"`
}

// VersionStatus is the state of one version of a handler.
type VersionStatus struct {
	// The version.
	Version string `json:"version"`
	// The position of the version in the order of first admission, from 1.
	Sequence int64 `json:"sequence"`
	// The GatiVersion that is its record.
	// +optional
	Record string `json:"record,omitempty"`
	// The ControllerRevision whose template it runs.
	// +optional
	Revision string `json:"revision,omitempty"`
	// The number of that template among the version's templates, from 1.
	// +optional
	RevisionNumber int64 `json:"revisionNumber,omitempty"`
	// The workload that runs it: the value of the label gati.dev/workload.
	// +optional
	Workload string `json:"workload,omitempty"`
	// Active, Draining or Decommissioned.
	// +optional
	Phase VersionPhase `json:"phase,omitempty"`
	// The desired share of the traffic, in percent.
	Weight int32 `json:"weight"`
	// The share that the gateway has accepted, in percent. Absent without a gateway.
	// +optional
	AcceptedWeight *int32 `json:"acceptedWeight,omitempty"`
	// The largest share that it may be getting: a written weight counts until the
	// gateway has accepted a later one.
	// +optional
	ExposedWeight int32 `json:"exposedWeight,omitempty"`
	// The minimum number of pods that the controller requests.
	// +optional
	Replicas int32 `json:"replicas,omitempty"`
	// When the handler first admitted it.
	// +optional
	AdmittedAt *metav1.Time `json:"admittedAt,omitempty"`
	// When another version replaced it. It keeps its pods for rollbackWindow.
	// +optional
	SupersededAt *metav1.Time `json:"supersededAt,omitempty"`
	// When it began to drain: the gateway had accepted that it gets no traffic.
	// +optional
	DrainingSince *metav1.Time `json:"drainingSince,omitempty"`
	// Why it is not removed yet, while it drains.
	// +optional
	Stays *StaysStatus `json:"stays,omitempty"`
	// What measures its traffic: pods (the metrics of its own pods), prometheus, or both,
	// joined by +. None means that its ready pods were asked and have never answered with
	// metrics. Absent while nothing is known, and where nothing is configured.
	// +optional
	TrafficSource string `json:"trafficSource,omitempty"`
	// Its measured traffic, where a source exists.
	// +optional
	Evidence *EvidenceStatus `json:"evidence,omitempty"`
	// No pod of it was ever ready, so it has no callers.
	// +optional
	Unserved bool `json:"unserved,omitempty"`
	// When a user last requested new pods for it.
	// +optional
	RestartedAt *metav1.Time `json:"restartedAt,omitempty"`
	// The user who requested its decommissioning.
	// +optional
	DecommissionedBy string `json:"decommissionedBy,omitempty"`
	// The user who allowed it traffic although it breaks callers.
	// +optional
	OverriddenBy string `json:"overriddenBy,omitempty"`
	// The schemas that it promised its callers.
	// +optional
	Schema *SchemaStatus `json:"schema,omitempty"`
	// Whether it breaks callers of an older version, by its schemas or its author's
	// claim. Absent for the stable version.
	// +optional
	Breaking bool `json:"breaking,omitempty"`
	// The first version of its run: a series of versions in which none breaks callers
	// of its predecessor. Absent while all versions are in one run.
	// +optional
	Run string `json:"run,omitempty"`
	// The versions of other runs whose callers it serves: it does not break them, or
	// transformers are recorded for every step from them.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	Serves []string `json:"serves,omitempty"`
	// Why it gets no weighted traffic, when callers are the reason.
	// +optional
	Held string `json:"held,omitempty"`
	// How it breaks callers: the first findings.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=5
	Findings []string `json:"findings,omitempty"`
	// The Secrets, ConfigMaps, accounts and claims that the kept templates of the
	// version use, in the form of the policy gati-references. A rollback to the version
	// requires access to those that the spec does not name.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	References []string `json:"references,omitempty"`
}

// SchemaStatus identifies the schemas of a version: equal hashes mean equal content.
// The documents are stored in the version's ControllerRevision.
type SchemaStatus struct {
	// The hash of the schema of requests.
	// +optional
	Input string `json:"input,omitempty"`
	// The hash of the schema of responses.
	// +optional
	Output string `json:"output,omitempty"`
}

// ChildStatus is one object that the controller manages.
type ChildStatus struct {
	// The kind, with its group unless that is the core group: Deployment.apps.
	Kind string `json:"kind"`
	// The name, in the namespace of the owner.
	Name string `json:"name"`
	// The fault of the object, if it has one.
	// +optional
	Message string `json:"message,omitempty"`
}

// GatiModuleStatus has the observations and decisions of the controller.
type GatiModuleStatus struct {
	// The generation of the spec that this status describes.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// The state in one word.
	// +optional
	Phase Phase `json:"phase,omitempty"`
	// The overall verdict in one word.
	// +optional
	Health Health `json:"health,omitempty"`
	// The image that results from the spec.
	// +optional
	Image string `json:"image,omitempty"`
	// How many pods exist.
	// +optional
	Replicas int32 `json:"replicas,omitempty"`
	// How many pods are ready.
	// +optional
	ReadyReplicas int32 `json:"readyReplicas,omitempty"`
	// Ready of desired pods, such as 1/1.
	// +optional
	Ready string `json:"ready,omitempty"`
	// The label selector of the pods, for the scale subresource.
	// +optional
	Selector string `json:"selector,omitempty"`
	// The values that the controller derived for unset fields.
	// +optional
	Resolved *ResolvedStatus `json:"resolved,omitempty"`
	// The ControllerRevision whose template is running.
	// +optional
	Revision string `json:"revision,omitempty"`
	// The ports of the Service: the declared one, and earlier values of spec.port that
	// callers may still use.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=512
	Ports []int32 `json:"ports,omitempty"`
	// The ControllerRevision that last served with all of its pods. A failed change is
	// rolled back to it.
	// +optional
	StableRevision string `json:"stableRevision,omitempty"`
	// The declared template that failed. It is not rolled out again until the spec
	// changes.
	// +optional
	Rejected *RejectedRevision `json:"rejected,omitempty"`
	// The first GatiHandlers, by name, that list the module in spec.modules.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	UsedBy []string `json:"usedBy,omitempty"`
	// More handlers than usedBy shows list the module in spec.modules.
	// +optional
	UsedByMore bool `json:"usedByMore,omitempty"`
	// The objects that the controller manages for this one.
	// +optional
	// +listType=atomic
	Children []ChildStatus `json:"children,omitempty"`
	// The conditions that kubectl wait, Argo CD and Flux read.
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
	// When the phase or the readiness last changed.
	// +optional
	LastUpdated *metav1.Time `json:"lastUpdated,omitempty"`
}

// RejectedRevision is a template of a module that is not rolled out again.
type RejectedRevision struct {
	// The ControllerRevision of the template.
	Revision string `json:"revision"`
	// Why.
	Reason string `json:"reason"`
	// The time of the rejection.
	At metav1.Time `json:"at"`
}

// VersionPhase is the state of a version in one word.
//
// +kubebuilder:validation:Enum=Active;Draining;Decommissioned
type VersionPhase string

// The phases of a version.
const (
	// VersionActive means that the version runs and may be called.
	VersionActive VersionPhase = "Active"
	// VersionDraining means that it gets no new traffic and will be removed.
	VersionDraining VersionPhase = "Draining"
	// VersionDecommissioned means that only its record is left.
	VersionDecommissioned VersionPhase = "Decommissioned"
)

// GatiVersionStatus has the observations and decisions of the controller.
type GatiVersionStatus struct {
	// The generation of the spec that this status describes.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`
	// The state in one word.
	// +optional
	Phase VersionPhase `json:"phase,omitempty"`
	// The handler that the record belongs to.
	// +optional
	Handler string `json:"handler,omitempty"`
	// The version of the record, also when spec.version is empty.
	// +optional
	Version string `json:"version,omitempty"`
	// Whether the controller wrote the record and no user has applied it since.
	// +optional
	Automatic *bool `json:"automatic,omitempty"`
	// The conditions that kubectl wait, Argo CD and Flux read.
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`
}
