package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// WaitingReason is the kind of obstacle that a rollout waits for.
//
// +kubebuilder:validation:Enum=Pods;Infrastructure;Endpoints;OldPods;Gateway;RouteRefused;Pause;Promotion;Check;Analysis;NeedsTraffic;Resume;Action;SpecChange;Compatibility;Transformers;Activation;Shares;Turn;Observation
type WaitingReason string

// The reasons to wait.
const (
	// WaitingForPods means that a version has fewer ready pods than its next
	// weight needs.
	WaitingForPods WaitingReason = "Pods"
	// WaitingForInfrastructure means that pods are missing for a reason that affects
	// every version: a quota, no room on the nodes, a registry or webhook that does not
	// answer.
	WaitingForInfrastructure WaitingReason = "Infrastructure"
	// WaitingForEndpoints means that pods became ready only just now, and gateways may
	// not know them yet.
	WaitingForEndpoints WaitingReason = "Endpoints"
	// WaitingForOldPods means that a version still has pods with traffic, where traffic
	// follows the number of pods.
	WaitingForOldPods WaitingReason = "OldPods"
	// WaitingForGateway means that the gateway has not accepted the weights yet.
	WaitingForGateway WaitingReason = "Gateway"
	// WaitingForRoute means that a parent of the route refuses it, or none has
	// claimed it.
	WaitingForRoute WaitingReason = "RouteRefused"
	// WaitingForPause means that the pause of a step runs.
	WaitingForPause WaitingReason = "Pause"
	// WaitingForPromotion means that the step lasts until a user promotes it.
	WaitingForPromotion WaitingReason = "Promotion"
	// WaitingForCheck means that the Job of a check has not ended.
	WaitingForCheck WaitingReason = "Check"
	// WaitingForAnalysis means that a metric has not passed in this step.
	WaitingForAnalysis WaitingReason = "Analysis"
	// WaitingForTraffic means that a version had too few requests to be judged. More
	// requests or a promotion end the wait.
	WaitingForTraffic WaitingReason = "NeedsTraffic"
	// WaitingForResume means that a user paused the rollout.
	WaitingForResume WaitingReason = "Resume"
	// WaitingForAction means that the rollout failed and autoRollback is off.
	WaitingForAction WaitingReason = "Action"
	// WaitingForSpecChange means that the declared version was rejected, or that
	// a rollback pinned another one.
	WaitingForSpecChange WaitingReason = "SpecChange"
	// WaitingForCompatibility means that the declared version breaks callers that
	// no transformer covers.
	WaitingForCompatibility WaitingReason = "Compatibility"
	// WaitingForTransformers means that a version may get more traffic once each of its
	// ready pods reports the transformers that callers of the contract need.
	WaitingForTransformers WaitingReason = "Transformers"
	// WaitingForActivation means that the declared version's record has active: false.
	WaitingForActivation WaitingReason = "Activation"
	// WaitingForShares means that more versions request traffic than a route can split
	// it among.
	WaitingForShares WaitingReason = "Shares"
	// WaitingForTurn means that the operator's limit of concurrent rollouts is reached.
	WaitingForTurn WaitingReason = "Turn"
	// WaitingForObservation means that a workload or the route has not been read yet.
	WaitingForObservation WaitingReason = "Observation"
)

// Health returns the verdict on a handler whose rollout waits for the reason. Of those that
// time and pods end it is Progressing.
func (r WaitingReason) Health() Health {
	switch r {
	case WaitingForSpecChange:
		return RolledBack
	case WaitingForCompatibility, WaitingForShares:
		return Degraded
	case WaitingForAction:
		return Failed
	case WaitingForPromotion, WaitingForTraffic, WaitingForResume, WaitingForActivation:
		return Paused
	default:
		return Progressing
	}
}

// WaitingStatus is the reason why a rollout waits.
type WaitingStatus struct {
	// The kind of obstacle.
	Reason WaitingReason `json:"reason"`
	// A description with numbers. It contains no time: until does.
	Message string `json:"message"`
	// What holds the version back, for the reason Compatibility.
	// +optional
	Held string `json:"held,omitempty"`
	// When time ends the wait: the end of a pause, or the deadline at which the rollout
	// fails or stalls. Absent when no time limit applies.
	// +optional
	Until *metav1.Time `json:"until,omitempty"`
}

// StaysReason is why a draining version is not removed yet.
//
// +kubebuilder:validation:Enum=Declared;Weight;GatewayLag;PodsLeft;Keep;ProtectedTag;MinActive;WarmReplicas;Paused;RollbackWindow;MinAge;NotObserved;StillCalled;TrafficUnknown;DrainWindow;DrainDeadline
type StaysReason string

// The reasons to stay.
const (
	// StaysDeclared means that the spec declares the version.
	StaysDeclared StaysReason = "Declared"
	// StaysWeight means that the version still has a weight.
	StaysWeight StaysReason = "Weight"
	// StaysGatewayLag means that the gateway has not accepted the weight 0 yet.
	StaysGatewayLag StaysReason = "GatewayLag"
	// StaysPodsLeft means that pods of the version are left, where traffic follows the
	// number of pods.
	StaysPodsLeft StaysReason = "PodsLeft"
	// StaysKeep means that the version's record has keep: true.
	StaysKeep StaysReason = "Keep"
	// StaysProtectedTag means that the version has one of versions.protectedTags.
	StaysProtectedTag StaysReason = "ProtectedTag"
	// StaysMinActive means that fewer than versions.minActive versions would be left.
	StaysMinActive StaysReason = "MinActive"
	// StaysWarmReplicas means that autoscaling.warmReplicas keeps the version for a
	// rollback.
	StaysWarmReplicas StaysReason = "WarmReplicas"
	// StaysPaused means that a user paused the handler.
	StaysPaused StaysReason = "Paused"
	// StaysRollbackWindow means that rollout.rollbackWindow has not passed.
	StaysRollbackWindow StaysReason = "RollbackWindow"
	// StaysMinAge means that the version is younger than versions.minAge.
	StaysMinAge StaysReason = "MinAge"
	// StaysNotObserved means that its workload has not been read yet.
	StaysNotObserved StaysReason = "NotObserved"
	// StaysStillCalled means that the last measurement saw requests.
	StaysStillCalled StaysReason = "StillCalled"
	// StaysTrafficUnknown means that the source of its traffic measurements has no
	// data.
	StaysTrafficUnknown StaysReason = "TrafficUnknown"
	// StaysDrainWindow means that its traffic is zero, but not yet for drain.window.
	StaysDrainWindow StaysReason = "DrainWindow"
	// StaysDrainDeadline means that nothing measures its traffic, so that
	// drain.deadline decides.
	StaysDrainDeadline StaysReason = "DrainDeadline"
)

// StaysStatus is why a draining version is not removed yet.
type StaysStatus struct {
	// The kind of reason.
	Reason StaysReason `json:"reason"`
	// A description with numbers. It contains no time: notBefore does.
	Message string `json:"message"`
	// The earliest time of its removal. Absent when time alone does not end the stay.
	// +optional
	NotBefore *metav1.Time `json:"notBefore,omitempty"`
}

// ConditionReason is the reason of a condition.
type ConditionReason string

// The reasons of the conditions Ready, Reconciling and Stalled of handlers and modules.
const (
	// ReasonReady means that the declared version serves as the spec requires.
	ReasonReady ConditionReason = "Ready"
	// ReasonSettled means that no change is under way and no action is needed.
	ReasonSettled ConditionReason = "Settled"
	// ReasonProgressing means that changes are under way and need no action.
	ReasonProgressing ConditionReason = "Progressing"
	// ReasonPaused means that a rollout waits for a request: at a step without a
	// duration, because a user paused it, or because a record has active: false.
	ReasonPaused ConditionReason = "Paused"
	// ReasonOldChildren means that children of a deleted object of the same name still
	// exist. The garbage collector removes them.
	ReasonOldChildren ConditionReason = "OldChildren"
	// ReasonInvalid means that the spec has errors; no part of it is applied.
	ReasonInvalid ConditionReason = "Invalid"
	// ReasonRejected means that the declared version failed or was aborted, and is not
	// retried automatically.
	ReasonRejected ConditionReason = "Rejected"
	// ReasonRolledBack means that a user rolled back to another version, which keeps
	// serving.
	ReasonRolledBack ConditionReason = "RolledBack"
	// ReasonBreaking means that the declared version breaks callers that no transformer
	// covers.
	ReasonBreaking ConditionReason = "Breaking"
	// ReasonRolloutFailed means that the rollout failed and autoRollback is off.
	ReasonRolloutFailed ConditionReason = "RolloutFailed"
	// ReasonRolloutHalted means that a rollout halted for another reason, which the
	// message contains.
	ReasonRolloutHalted ConditionReason = "RolloutHalted"
	// ReasonTooManyShares means that more versions request traffic than a route can
	// split it among.
	ReasonTooManyShares ConditionReason = "TooManyShares"
	// ReasonNoProgress means that pods did not become ready within progressDeadline.
	ReasonNoProgress ConditionReason = "ProgressDeadlineExceeded"
	// ReasonPodsFailing means that pods of the serving version fail, and no rollout is running.
	ReasonPodsFailing ConditionReason = "PodsFailing"
	// ReasonUnreachable means that callers have not reached the version with the traffic for
	// progressDeadline, and no rollout is running: a parent does not serve the route, or no pod
	// has an endpoint.
	ReasonUnreachable ConditionReason = "Unreachable"
	// ReasonObstructed means that others have stopped a child: it is paused, scaled to 0 pods,
	// held by a finalizer, or shares its pods with another autoscaler.
	ReasonObstructed ConditionReason = "Obstructed"
	// ReasonRefused means that the API server refuses a child or its pods.
	ReasonRefused ConditionReason = "Refused"
	// ReasonApplyFailed means that a write of a child failed and will be retried.
	ReasonApplyFailed ConditionReason = "ApplyFailed"
	// ReasonForeign means that an object of another owner has the name of a child.
	ReasonForeign ConditionReason = "ForeignObject"
	// ReasonContested means that another writer keeps changing a child.
	ReasonContested ConditionReason = "Contested"
	// ReasonNotServed means that the cluster does not serve the API of a child.
	ReasonNotServed ConditionReason = "NotServed"
	// ReasonRouteTaken means that another handler of the namespace claimed the same
	// traffic first.
	ReasonRouteTaken ConditionReason = "RouteTaken"
)

// Reasons of the target gitops: the Git repository lacks the plan, or the cluster does
// not show it yet.
const (
	// ReasonNotSynced means that the cluster does not show the commit of the children:
	// the GitOps tool has not applied it yet, or another writer changed a child.
	ReasonNotSynced ConditionReason = "NotSynced"
	// ReasonRepositoryInvalid means that the operator's settings of the repository are
	// invalid.
	ReasonRepositoryInvalid ConditionReason = "RepositoryInvalid"
	// ReasonRepositoryMissing means that the repository does not exist, or that the
	// credentials do not give access to it.
	ReasonRepositoryMissing ConditionReason = "RepositoryMissing"
	// ReasonRepositoryDown means that the repository does not answer.
	ReasonRepositoryDown ConditionReason = "RepositoryDown"
	// ReasonRepositoryReadOnly means that the credentials allow reading only.
	ReasonRepositoryReadOnly ConditionReason = "RepositoryReadOnly"
	// ReasonRepositoryFull means that no space is left on the disk of the repository.
	ReasonRepositoryFull ConditionReason = "RepositoryFull"
	// ReasonRepositoryBusy means that other writers push without a pause.
	ReasonRepositoryBusy ConditionReason = "RepositoryBusy"
	// ReasonBranchMissing means that the repository has no branch of that name.
	ReasonBranchMissing ConditionReason = "BranchMissing"
	// ReasonPushRefused means that a hook or a rule of the repository refuses the push.
	ReasonPushRefused ConditionReason = "PushRefused"
	// ReasonFolderTaken means that foreign files are where a plan belongs.
	ReasonFolderTaken ConditionReason = "FolderTaken"
	// ReasonSecretMissing means that the Secret with the credentials does not exist.
	ReasonSecretMissing ConditionReason = "SecretMissing"
	// ReasonSecretInvalid means that the Secret lacks a key, or that one cannot be
	// parsed.
	ReasonSecretInvalid ConditionReason = "SecretInvalid"
	// ReasonCredentialsRefused means that the repository does not accept the
	// credentials.
	ReasonCredentialsRefused ConditionReason = "CredentialsRefused"
	// ReasonHostKeyUnknown means that known_hosts has no key for the host.
	ReasonHostKeyUnknown ConditionReason = "HostKeyUnknown"
	// ReasonHostKeyChanged means that the host presents another key than known_hosts
	// has.
	ReasonHostKeyChanged ConditionReason = "HostKeyChanged"
	// ReasonCertificateUnknown means that no known authority signed the host's certificate.
	ReasonCertificateUnknown ConditionReason = "CertificateUnknown"
)

// The reasons of the condition Available.
const (
	// ReasonAvailable means that the stable version has all of its pods ready.
	ReasonAvailable ConditionReason = "Available"
	// ReasonTooFewPods means that the stable version has fewer ready pods than desired.
	ReasonTooFewPods ConditionReason = "TooFewPods"
	// ReasonNothingServes means that no version has served yet.
	ReasonNothingServes ConditionReason = "NothingServes"
)
