package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// RolloutPhase is the one-word state of a handler's rollout.
//
// +kubebuilder:validation:Enum=Starting;Stable;Progressing;RollingBack;Failed
type RolloutPhase string

// The phases of a rollout.
const (
	// RolloutStarting means that the first version comes up: nothing has served
	// yet, so there is nothing to go back to.
	RolloutStarting RolloutPhase = "Starting"
	// RolloutStable means that nothing is being rolled out.
	RolloutStable RolloutPhase = "Stable"
	// RolloutProgressing means that target replaces stable.
	RolloutProgressing RolloutPhase = "Progressing"
	// RolloutRollingBack means that stable gets its traffic back.
	RolloutRollingBack RolloutPhase = "RollingBack"
	// RolloutFailed means that a rollout failed and stays where it is, because
	// autoRollback is off. A user has to act.
	RolloutFailed RolloutPhase = "Failed"
)

// RolloutMode is the way from one version to the next.
//
// +kubebuilder:validation:Enum=Steps;AtOnce;WithPods;InPlace
type RolloutMode string

// The modes of a rollout.
const (
	// RolloutSteps takes the steps of the spec.
	RolloutSteps RolloutMode = "Steps"
	// RolloutAtOnce moves all traffic once the target has all of its pods ready:
	// the way to another strategy.
	RolloutAtOnce RolloutMode = "AtOnce"
	// RolloutWithPods moves traffic as fast as pods become ready: the way back.
	RolloutWithPods RolloutMode = "WithPods"
	// RolloutInPlace replaces the pods of one workload.
	RolloutInPlace RolloutMode = "InPlace"
)

// UnitRef names what one workload runs: a template of a version.
type UnitRef struct {
	// The version.
	Version string `json:"version"`
	// The number of the template among those of the version.
	RevisionNumber int64 `json:"revisionNumber"`
	// The ControllerRevision that holds the template.
	// +optional
	Revision string `json:"revision,omitempty"`
	// The workload.
	// +optional
	Workload string `json:"workload,omitempty"`
}

// RolloutStatus is the state of a handler's rollout.
// Times are of the API server's clock.
type RolloutStatus struct {
	// The one-word state.
	// +optional
	Phase RolloutPhase `json:"phase,omitempty"`
	// The way from stable to target.
	// +optional
	Mode RolloutMode `json:"mode,omitempty"`
	// What holds the rollout. Absent while nothing does.
	// +optional
	WaitingFor *WaitingStatus `json:"waitingFor,omitempty"`
	// What the spec led to at the last decision.
	// +optional
	Declared *UnitRef `json:"declared,omitempty"`
	// What serves, and is gone back to.
	// +optional
	Stable *UnitRef `json:"stable,omitempty"`
	// What is being rolled out.
	// +optional
	Target *UnitRef `json:"target,omitempty"`
	// What was stable before.
	// +optional
	Previous *UnitRef `json:"previous,omitempty"`
	// Since when the declared version has waited for other rollouts to end. The
	// handler that has waited longest begins first.
	// +optional
	QueuedAt *metav1.Time `json:"queuedAt,omitempty"`
	// The step of the spec that the rollout is at, from 0. One past the last is
	// the end, where the target has all traffic.
	// +optional
	Step int32 `json:"step,omitempty"`
	// When the rollout began.
	// +optional
	StartedAt *metav1.Time `json:"startedAt,omitempty"`
	// When the pause of the step began: its weight accepted, its pods ready.
	// +optional
	StepStartedAt *metav1.Time `json:"stepStartedAt,omitempty"`
	// Since when the target has had too few ready pods, or when it last came
	// closer. The progress deadline counts from here.
	// +optional
	ShortSince *metav1.Time `json:"shortSince,omitempty"`
	// The most pods of the target that were ready since it was short.
	// +optional
	MostReady int32 `json:"mostReady,omitempty"`
	// Since when the target has had traffic and no ready pod.
	// +optional
	DownSince *metav1.Time `json:"downSince,omitempty"`
	// Since when the route has not been accepted as it was last written: a parent
	// refuses it, none has claimed it, or the gateway does not answer.
	// +optional
	RefusedSince *metav1.Time `json:"refusedSince,omitempty"`
	// Since when pods of the target meet what those of any version would: a quota, no
	// room on the nodes, a registry that does not answer. The rollout stalls after the
	// progress deadline.
	// +optional
	ObstructedSince *metav1.Time `json:"obstructedSince,omitempty"`
	// The container restarts of the target that do not count any more.
	// +optional
	Restarts int32 `json:"restarts,omitempty"`
	// Since when restarts of the target are counted.
	// +optional
	RestartsSince *metav1.Time `json:"restartsSince,omitempty"`
	// The replicas that carry all traffic, sampled from stable and only raised
	// until the rollout is over.
	// +optional
	ReferenceReplicas *int32 `json:"referenceReplicas,omitempty"`
	// How many pods the target has been given beyond those that its step needs. They
	// are what autoscaling.warmPool costs at the moment.
	// +optional
	SparePods int32 `json:"sparePods,omitempty"`
	// The generation of the HTTPRoute as the controller's last write returned it.
	// +optional
	RouteGeneration int64 `json:"routeGeneration,omitempty"`
	// Identifies the spec of the last decision: what to run and how to roll it out.
	// +optional
	Intent string `json:"intent,omitempty"`
	// What was measured of the target, where spec.rollout.analysis asks for it.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	Analysis []MetricStatus `json:"analysis,omitempty"`
	// The checks of the rollout that have begun, oldest first.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=8
	Checks []CheckStatus `json:"checks,omitempty"`
	// Why the rollout failed, in the phase Failed.
	// +optional
	Failure string `json:"failure,omitempty"`
	// The version whose callers every version with traffic serves. Absent while none
	// breaks the callers of another, where it follows stable.
	// +optional
	Contract *ContractStatus `json:"contract,omitempty"`
	// Who froze the rollout.
	// +optional
	Frozen *Deed `json:"frozen,omitempty"`
	// The version that a rollback went to, instead of the declared one, until the
	// spec changes.
	// +optional
	Pinned *PinnedStatus `json:"pinned,omitempty"`
	// What failed or was aborted, and is not tried again until the spec changes or
	// a retry.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	Rejected []RejectedStatus `json:"rejected,omitempty"`
	// The requests that were handled, oldest first.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	Requests []HandledRequest `json:"requests,omitempty"`
	// What happened, oldest first.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=32
	History []HistoryEntry `json:"history,omitempty"`
}

// CheckStatus has the outcome of a check in a rollout.
type CheckStatus struct {
	// The name of the check.
	Name string `json:"name"`
	// The name of its Job.
	Job string `json:"job"`
	// When it began.
	StartedAt metav1.Time `json:"startedAt"`
	// What came of it.
	Verdict CheckVerdict `json:"verdict"`
	// Why it has not passed: the last lines of its log, or who went on without it.
	// +optional
	Message string `json:"message,omitempty"`
}

// Deed is who did something, and when.
type Deed struct {
	// The user.
	By string `json:"by"`
	// When.
	At metav1.Time `json:"at"`
}

// ContractStatus is the version that callers without a known X-Gati-Version speak.
type ContractStatus struct {
	// The version.
	Version string `json:"version"`
	Deed    `json:",inline"`
}

// PinnedStatus is the target of a rollback.
type PinnedStatus struct {
	UnitRef `json:",inline"`
	Deed    `json:",inline"`
}

// RejectedStatus is a template that is not rolled out again.
type RejectedStatus struct {
	UnitRef `json:",inline"`
	// Why, with numbers.
	Reason string `json:"reason"`
	// Since when.
	At metav1.Time `json:"at"`
}

// HandledRequest is a request that was handled.
type HandledRequest struct {
	// The UUID of the request.
	ID string `json:"id"`
	// The verb with its argument.
	Request string `json:"request"`
	// What came of it, in one sentence.
	// +optional
	Outcome string `json:"outcome,omitempty"`
	// Whether it was refused.
	// +optional
	Refused bool `json:"refused,omitempty"`
}

// HistoryEntry says who did what, from where to where, and why.
type HistoryEntry struct {
	Deed `json:",inline"`
	// What was done: Started, Step, Promoted, Completed, RolledBack, ...
	What string `json:"what"`
	// Where it came from: a version or a weight.
	// +optional
	From string `json:"from,omitempty"`
	// Where it went: a version or a weight.
	// +optional
	To string `json:"to,omitempty"`
	// Why, with numbers.
	// +optional
	Why string `json:"why,omitempty"`
}
