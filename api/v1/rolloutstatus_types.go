package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// RolloutPhase is the state of a handler's rollout in one word.
//
// +kubebuilder:validation:Enum=Starting;Stable;Progressing;RollingBack;Failed
type RolloutPhase string

// The phases of a rollout.
const (
	// RolloutStarting means that the first version starts: no version has served yet,
	// so there is nothing to roll back to.
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

// RolloutMode is how a rollout replaces one version with the next.
//
// +kubebuilder:validation:Enum=Steps;AtOnce;WithPods;InPlace
type RolloutMode string

// The modes of a rollout.
const (
	// RolloutSteps follows the steps of the spec.
	RolloutSteps RolloutMode = "Steps"
	// RolloutAtOnce moves all traffic once the target has all of its pods ready: used
	// to change the strategy.
	RolloutAtOnce RolloutMode = "AtOnce"
	// RolloutWithPods moves traffic as fast as pods become ready: used for rollbacks.
	RolloutWithPods RolloutMode = "WithPods"
	// RolloutInPlace replaces the pods of one workload.
	RolloutInPlace RolloutMode = "InPlace"
)

// UnitRef identifies what one workload runs: a template of a version.
type UnitRef struct {
	// The version.
	Version string `json:"version"`
	// The number of the template among the version's templates.
	RevisionNumber int64 `json:"revisionNumber"`
	// The ControllerRevision that holds the template.
	// +optional
	Revision string `json:"revision,omitempty"`
	// The workload.
	// +optional
	Workload string `json:"workload,omitempty"`
}

// RolloutStatus is the state of a handler's rollout. Times are those of the API
// server's clock.
type RolloutStatus struct {
	// The state in one word.
	// +optional
	Phase RolloutPhase `json:"phase,omitempty"`
	// How stable is replaced by target.
	// +optional
	Mode RolloutMode `json:"mode,omitempty"`
	// The obstacle that holds the rollout. Absent without one.
	// +optional
	WaitingFor *WaitingStatus `json:"waitingFor,omitempty"`
	// The version and template that the spec declared at the last decision.
	// +optional
	Declared *UnitRef `json:"declared,omitempty"`
	// The version that serves and that a rollback returns to.
	// +optional
	Stable *UnitRef `json:"stable,omitempty"`
	// The version that is being rolled out.
	// +optional
	Target *UnitRef `json:"target,omitempty"`
	// The previous stable version.
	// +optional
	Previous *UnitRef `json:"previous,omitempty"`
	// The time since which the declared version has waited for other rollouts to end.
	// The handler that has waited longest starts first.
	// +optional
	QueuedAt *metav1.Time `json:"queuedAt,omitempty"`
	// The index of the current step in the spec, from 0. The number of steps means the
	// end, where the target has all traffic.
	// +optional
	Step int32 `json:"step,omitempty"`
	// The steps that were planned for this rollout, if spec.rollout.autoSteps requests it.
	// +optional
	Planned *PlannedSteps `json:"planned,omitempty"`
	// When the rollout started.
	// +optional
	StartedAt *metav1.Time `json:"startedAt,omitempty"`
	// When the pause of the step began: its weight was accepted and its pods were
	// ready.
	// +optional
	StepStartedAt *metav1.Time `json:"stepStartedAt,omitempty"`
	// The time since which the target has had too few ready pods, or of its last
	// progress. The progress deadline counts from here.
	// +optional
	ShortSince *metav1.Time `json:"shortSince,omitempty"`
	// The highest number of ready target pods since there were too few.
	// +optional
	MostReady int32 `json:"mostReady,omitempty"`
	// The time since which the rollout waits for pods to report their transformers. It is
	// Stalled after the progress deadline.
	// +optional
	UnreportedSince *metav1.Time `json:"unreportedSince,omitempty"`
	// The time since which the target or the stable version has had traffic but no ready pod.
	// +optional
	DownSince *metav1.Time `json:"downSince,omitempty"`
	// The time since which the route has not been accepted as last written: a parent
	// refuses it, none has claimed it, or the gateway does not answer.
	// +optional
	RefusedSince *metav1.Time `json:"refusedSince,omitempty"`
	// The time since which pods of the target meet an obstacle that affects every
	// version: a quota, no room on the nodes, a registry that does not answer. The
	// rollout stalls after the progress deadline.
	// +optional
	ObstructedSince *metav1.Time `json:"obstructedSince,omitempty"`
	// The container restarts of the target that no longer count.
	// +optional
	Restarts int32 `json:"restarts,omitempty"`
	// The time since which restarts of the target are counted.
	// +optional
	RestartsSince *metav1.Time `json:"restartsSince,omitempty"`
	// The container restarts of the target when its step began. One more begins the step
	// again.
	// +optional
	StepRestarts int32 `json:"stepRestarts,omitempty"`
	// The number of replicas that can carry all traffic, sampled from stable and only
	// raised during the rollout.
	// +optional
	ReferenceReplicas *int32 `json:"referenceReplicas,omitempty"`
	// How many pods the target has been given beyond those that its step needs: the
	// current cost of autoscaling.warmPool.
	// +optional
	SparePods int32 `json:"sparePods,omitempty"`
	// The generation of the HTTPRoute that the controller's last write returned.
	// +optional
	RouteGeneration int64 `json:"routeGeneration,omitempty"`
	// A hash of the spec at the last decision: what to run and how to roll it out.
	// +optional
	Intent string `json:"intent,omitempty"`
	// The measurements of the target, if spec.rollout.analysis requests any.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	Analysis []MetricStatus `json:"analysis,omitempty"`
	// What else was measured of the target, and decides nothing.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=4
	Advice []MetricStatus `json:"advice,omitempty"`
	// The checks of the rollout that have started, oldest first.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=8
	Checks []CheckStatus `json:"checks,omitempty"`
	// Why the rollout failed, in the phase Failed.
	// +optional
	Failure string `json:"failure,omitempty"`
	// The version whose callers every version with traffic serves. Absent while no
	// version breaks callers of another; then it follows stable.
	// +optional
	Contract *ContractStatus `json:"contract,omitempty"`
	// The user who paused the rollout.
	// +optional
	Frozen *Deed `json:"frozen,omitempty"`
	// The version that a rollback chose instead of the declared one, until the spec
	// changes.
	// +optional
	Pinned *PinnedStatus `json:"pinned,omitempty"`
	// The template that failed or was aborted. It is not retried until the spec changes
	// or a user requests it.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=16
	Rejected []RejectedStatus `json:"rejected,omitempty"`
	// The requests that were handled, oldest first.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=64
	Requests []HandledRequest `json:"requests,omitempty"`
	// The history of the rollouts, oldest first.
	// +optional
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=32
	History []HistoryEntry `json:"history,omitempty"`
}

// PlannedSteps are the steps of a rollout that were planned when it began.
type PlannedSteps struct {
	// The steps, without the end.
	// +required
	// +listType=atomic
	// +kubebuilder:validation:MaxItems=20
	Steps []PlannedStep `json:"steps"`
	// The rate that they were planned for, what they show and how long they take.
	Message string `json:"message"`
}

// PlannedStep is one planned step.
type PlannedStep struct {
	// The share of the traffic that the new version gets, in percent.
	Weight int32 `json:"weight"`
	// How many seconds the step lasts. Until promoted when absent.
	// +optional
	Seconds int64 `json:"seconds,omitempty"`
}

// CheckStatus has the outcome of a check in a rollout.
type CheckStatus struct {
	// The name of the check.
	Name string `json:"name"`
	// The name of its Job.
	Job string `json:"job"`
	// When it started.
	StartedAt metav1.Time `json:"startedAt"`
	// Its verdict.
	Verdict CheckVerdict `json:"verdict"`
	// Why it has not passed: the last lines of its log, or who continued without it.
	// +optional
	Message string `json:"message,omitempty"`
}

// Deed records who did something, and when.
type Deed struct {
	// The user.
	By string `json:"by"`
	// The time.
	At metav1.Time `json:"at"`
}

// ContractStatus is the version that callers without a known X-Gati-Version speak.
type ContractStatus struct {
	// The version.
	Version string `json:"version"`
	Deed    `json:",inline"`
	// A move that is not over: pods know of it, or do not all answer by it yet.
	// +optional
	Move *ContractMove `json:"move,omitempty"`
}

// ContractMove is a move of the contract. Every pod makes it at the same moment.
type ContractMove struct {
	// The contract before.
	From string `json:"from"`
	// The contract after.
	To   string `json:"to"`
	Deed `json:",inline"`
	// The moment at which pods begin to answer by the new contract.
	MovesAt metav1.Time `json:"movesAt"`
	// The number of ready pods that the move changes the answers of.
	Pods int32 `json:"pods"`
	// The number of those that know the move; once it is made, of those that answer by it.
	Holding int32 `json:"holding"`
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
	// The time of the rejection.
	At metav1.Time `json:"at"`
}

// HandledRequest is a request that was handled.
type HandledRequest struct {
	// The UUID of the request.
	ID string `json:"id"`
	// The verb with its argument.
	Request string `json:"request"`
	// The result, in one sentence.
	// +optional
	Outcome string `json:"outcome,omitempty"`
	// Whether it was refused.
	// +optional
	Refused bool `json:"refused,omitempty"`
}

// HistoryEntry records who did what, from which version or weight to which, and why.
type HistoryEntry struct {
	Deed `json:",inline"`
	// What was done: Started, Step, Promoted, Completed, RolledBack, ...
	What string `json:"what"`
	// The version or weight before.
	// +optional
	From string `json:"from,omitempty"`
	// The version or weight after.
	// +optional
	To string `json:"to,omitempty"`
	// Why, with numbers.
	// +optional
	Why string `json:"why,omitempty"`
}
