// Package reasons lists the reasons of api/v1 that a status can have, for tests that walk
// all of them. It must not know who gives or shows them.
package reasons

import v1 "gati.dev/gati/api/v1"

// Waiting returns every WaitingReason.
func Waiting() []v1.WaitingReason {
	return []v1.WaitingReason{
		v1.WaitingForPods, v1.WaitingForInfrastructure, v1.WaitingForEndpoints, v1.WaitingForOldPods, v1.WaitingForGateway, v1.WaitingForRoute, v1.WaitingForPause,
		v1.WaitingForPromotion, v1.WaitingForCheck, v1.WaitingForAnalysis, v1.WaitingForTraffic, v1.WaitingForResume, v1.WaitingForAction, v1.WaitingForSpecChange,
		v1.WaitingForCompatibility, v1.WaitingForTransformers, v1.WaitingForActivation, v1.WaitingForShares,
		v1.WaitingForTurn, v1.WaitingForObservation,
	}
}

// Stays returns every StaysReason.
func Stays() []v1.StaysReason {
	return []v1.StaysReason{
		v1.StaysDeclared, v1.StaysWeight, v1.StaysGatewayLag, v1.StaysPodsLeft, v1.StaysKeep, v1.StaysProtectedTag, v1.StaysMinActive,
		v1.StaysWarmReplicas, v1.StaysPaused, v1.StaysRollbackWindow, v1.StaysMinAge, v1.StaysNotObserved, v1.StaysStillCalled,
		v1.StaysTrafficUnknown, v1.StaysDrainWindow, v1.StaysDrainDeadline,
	}
}

// Conditions returns every ConditionReason.
func Conditions() []v1.ConditionReason {
	return []v1.ConditionReason{
		v1.ReasonReady, v1.ReasonSettled, v1.ReasonProgressing, v1.ReasonPaused, v1.ReasonOldChildren, v1.ReasonInvalid, v1.ReasonRejected,
		v1.ReasonRolledBack, v1.ReasonBreaking, v1.ReasonRolloutFailed, v1.ReasonRolloutHalted, v1.ReasonTooManyShares, v1.ReasonNoProgress,
		v1.ReasonPodsFailing, v1.ReasonUnreachable, v1.ReasonObstructed, v1.ReasonRefused, v1.ReasonApplyFailed, v1.ReasonForeign, v1.ReasonContested, v1.ReasonNotServed, v1.ReasonRouteTaken,
		v1.ReasonNotSynced, v1.ReasonRepositoryInvalid, v1.ReasonRepositoryMissing, v1.ReasonRepositoryDown, v1.ReasonRepositoryReadOnly,
		v1.ReasonRepositoryFull, v1.ReasonRepositoryBusy, v1.ReasonBranchMissing, v1.ReasonPushRefused, v1.ReasonFolderTaken, v1.ReasonSecretMissing,
		v1.ReasonSecretInvalid, v1.ReasonCredentialsRefused, v1.ReasonHostKeyUnknown, v1.ReasonHostKeyChanged, v1.ReasonCertificateUnknown,
		v1.ReasonAvailable, v1.ReasonTooFewPods, v1.ReasonNothingServes,
	}
}
