package report

import (
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/rollout"
	"gati.dev/gati/pkg/target"
)

// reasonValid is the reason of the condition Valid of a spec without faults.
const reasonValid = "Valid"

// Seen is the observed state of a handler or module.
type Seen struct {
	// Generation is that of the spec.
	Generation int64
	// Faults are the errors of the spec; with any, nothing was applied.
	Faults field.ErrorList
	// Children are the planned objects with their problems.
	Children []target.Child
	// Progress is how far the pods have come that have traffic, or will have it.
	Progress rollout.Observation
	// Stable has the pods of the version that serves, nil where none does yet.
	Stable *Pods
	// IsRolling is true while a rollout runs: failing pods are its own matter then.
	// IsInPlace is true where it replaces the pods that serve.
	IsRolling, IsInPlace bool
	// Waiting is the reason why the rollout waits, nil where it does not. IsPinned is true
	// where a rollback replaced the declared version, Halted where the rollout continues
	// only after a user has acted.
	Waiting  *v1.WaitingStatus
	IsPinned bool
	Halted   bool
	// IsBreaking is true when the declared version was stored although its strategy
	// refuses it: it breaks callers.
	IsBreaking bool
	// DeadlinePassed is true when the Deployment has made no progress for too long.
	DeadlinePassed bool
	// Sentence describes the progress of the rollout, Trouble the problem of the worst pod,
	// if any. IsFailing is true when waiting does not help.
	Sentence, Trouble string
	IsFailing         bool
	// Refused is the reason why the API server refuses pods; empty when it does not.
	Refused string
}

// Pods are those of the version that serves.
type Pods struct{ Ready, Wanted int32 }

// Settled reports whether everything is as the spec asks for.
func (s Seen) Settled() bool {
	return s.Progress.Complete && s.Progress.Ready >= s.Progress.Wanted && s.Waiting == nil && !s.IsBreaking
}

// isAvailable reports whether the version that serves has its pods.
func (s Seen) isAvailable() bool { return s.Stable != nil && s.Stable.Ready >= s.Stable.Wanted }

// Result is the summary of the conditions.
type Result struct {
	Phase  v1.Phase
	Health v1.Health
}

// Apply writes the conditions into a list and returns their summary.
func Apply(conditions *[]metav1.Condition, s Seen, now time.Time) Result {
	set := func(kind string, status bool, reason v1.ConditionReason, message string) {
		value := metav1.ConditionFalse
		if status {
			value = metav1.ConditionTrue
		}
		meta.SetStatusCondition(conditions, metav1.Condition{
			Type: kind, Status: value, Reason: string(reason), Message: message,
			ObservedGeneration: s.Generation, LastTransitionTime: metav1.NewTime(now),
		})
	}
	setIf := func(kind string, status bool, v verdict) {
		if !status {
			v = verdict{reason: v1.ReasonSettled}
		}
		set(kind, status, v.reason, v.message)
	}
	v := findVerdict(s)
	valid, message := v1.ConditionReason(reasonValid), ""
	if len(s.Faults) > 0 {
		valid, message = v1.ReasonInvalid, s.Faults.ToAggregate().Error()
	}
	set(v1.ConditionValid, len(s.Faults) == 0, valid, message)
	set(v1.ConditionReady, v.state == ready, v.reason, v.message)
	setIf(v1.ConditionStalled, v.state == stalled, v)
	setIf(v1.ConditionReconciling, v.state == reconciling, v)
	available, message := describeAvailability(s)
	set(v1.ConditionAvailable, s.isAvailable(), available, message)
	return Result{s.phaseFor(v), v.health}
}

// phaseFor returns the documents' word: Running while something serves, whatever comes
// beside it. A spec or a child with a fault is Failed all the same.
func (s Seen) phaseFor(v verdict) v1.Phase {
	switch {
	case v.isFault:
		return v1.PhaseFailed
	case v.state == ready, s.isAvailable() && (!s.IsRolling || !s.IsInPlace):
		return v1.PhaseRunning
	case v.state == stalled:
		return v1.PhaseFailed
	default:
		return v1.PhasePending
	}
}
