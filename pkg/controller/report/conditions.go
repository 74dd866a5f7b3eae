package report

import (
	"errors"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/rollout"
	"gati.dev/gati/pkg/target"
)

// Reasons that conditions carry.
const (
	ReasonReady       = "Ready"
	ReasonProgressing = "Progressing"
	ReasonInvalid     = "Invalid"
	ReasonForeign     = "ForeignObject"
	ReasonContested   = "Contested"
	ReasonRefused     = "Refused"
	ReasonFailed      = "ApplyFailed"
	ReasonNoProgress  = "ProgressDeadlineExceeded"
	ReasonUnavailable = "NotServed"
	ReasonTaken       = "RouteTaken"
	ReasonValid       = "Valid"
	ReasonSettled     = "Settled"
	ReasonHalted      = "RolloutHalted"
)

// maxMessage is the most that the CRD takes as a condition's message.
const maxMessage = 32768

// Seen is the observed state of a handler or module.
type Seen struct {
	// Generation is that of the spec.
	Generation int64
	// Faults are what is wrong with the spec; nothing was applied then.
	Faults field.ErrorList
	// Children are the planned objects and what is wrong with them.
	Children []target.Child
	// Progress is how far the pods have come.
	Progress rollout.Observation
	// Serving is true when the stable version serves with all of its pods, whatever
	// is being rolled out beside it. Halted is true when the rollout goes on only
	// after a user has acted.
	Serving, Halted bool
	// DeadlinePassed is true when the Deployment has made no progress for too long.
	DeadlinePassed bool
	// Sentence says how far the rollout is, Trouble what keeps the worst pod from
	// being ready; Trouble may be empty.
	Sentence, Trouble string
	// Refused says why the API server refuses pods; empty when it does not.
	Refused string
}

// Settled reports whether everything is as the spec asks for.
func (s Seen) Settled() bool {
	return s.Progress.Complete && s.Progress.Ready >= s.Progress.Wanted
}

// Apply writes the conditions into a list and returns the phase.
func Apply(conditions *[]metav1.Condition, s Seen, now time.Time) v1.Phase {
	set := func(kind string, status bool, reason, message string) {
		value := metav1.ConditionFalse
		if status {
			value = metav1.ConditionTrue
		}
		meta.SetStatusCondition(conditions, metav1.Condition{
			Type: kind, Status: value, Reason: reason, Message: clip(message, maxMessage),
			ObservedGeneration: s.Generation, LastTransitionTime: metav1.NewTime(now),
		})
	}
	v := judge(s)
	set(v1.ConditionValid, len(s.Faults) == 0, pick(len(s.Faults) == 0, ReasonValid, ReasonInvalid), validMessage(s.Faults))
	set(v1.ConditionReady, v.reason == ReasonReady, v.reason, v.message)
	set(v1.ConditionStalled, v.stalled, pick(v.stalled, v.reason, ReasonSettled), pick(v.stalled, v.message, ""))
	busy := !v.stalled && v.reason != ReasonReady
	set(v1.ConditionReconciling, busy, pick(busy, v.reason, ReasonSettled), pick(busy, v.message, ""))
	return v.phase
}

type verdict struct {
	phase           v1.Phase
	stalled         bool
	reason, message string
}

// judge finds the one thing to say, the most urgent first.
func judge(s Seen) verdict {
	if len(s.Faults) > 0 {
		return verdict{v1.PhaseFailed, true, ReasonInvalid, "Nothing was changed: " + s.Faults.ToAggregate().Error() + "."}
	}
	problem := findProblem(s.Children)
	if problem != nil && !isRetried(problem) {
		return verdict{v1.PhaseFailed, true, problemReason(problem), sentence(problem.Error())}
	}
	message := s.Sentence
	if s.Trouble != "" {
		message += " " + s.Trouble
	}
	if problem != nil {
		message = sentence(problem.Error()) + " " + message
	}
	switch {
	case s.Halted:
		return verdict{s.phase(v1.PhaseFailed), true, ReasonHalted, message}
	case problem != nil:
		return verdict{s.phase(v1.PhasePending), false, ReasonFailed, message}
	case s.Settled():
		return verdict{v1.PhaseRunning, false, ReasonReady, s.Sentence}
	case s.Refused != "":
		return verdict{v1.PhaseFailed, true, ReasonRefused, s.Sentence + " " + sentence(s.Refused)}
	case s.DeadlinePassed:
		return verdict{v1.PhaseFailed, true, ReasonNoProgress, message}
	default:
		return verdict{s.phase(v1.PhasePending), false, ReasonProgressing, message}
	}
}

// phase is Running while the stable version serves, whatever comes beside it.
func (s Seen) phase(otherwise v1.Phase) v1.Phase {
	if s.Serving {
		return v1.PhaseRunning
	}
	return otherwise
}

// findProblem returns the worst problem of a child: one that is tried again comes after
// those that wait for others.
func findProblem(children []target.Child) error {
	var retried error
	for _, c := range children {
		switch {
		case c.Problem != nil && !isRetried(c.Problem):
			return c.Problem
		case c.Problem != nil && retried == nil:
			retried = c.Problem
		}
	}
	return retried
}

// isRetried reports whether a write failed for a reason that may pass by itself.
func isRetried(problem error) bool {
	var failed *target.FailedError
	return errors.As(problem, &failed)
}

func problemReason(err error) string {
	var foreign *target.ForeignError
	var contested *target.ContestedError
	var altered *target.AlteredError
	var missing *NotServedError
	var taken *TakenError
	switch {
	case errors.As(err, &foreign):
		return ReasonForeign
	case errors.As(err, &contested), errors.As(err, &altered):
		return ReasonContested
	case errors.As(err, &missing):
		return ReasonUnavailable
	case errors.As(err, &taken):
		return ReasonTaken
	default:
		return ReasonRefused
	}
}

// NotServedError means that the cluster lacks the API of a planned object.
type NotServedError struct{ Kind, Field, Remedy string }

func (e *NotServedError) Error() string {
	return fmt.Sprintf("%s asks for %s, which this cluster does not serve; %s", e.Field, e.Kind, e.Remedy)
}

// TakenError means that an older handler's route has the claims of this one's.
type TakenError struct{ Claim, Owner string }

func (e *TakenError) Error() string {
	return fmt.Sprintf("spec.route asks for %s, which the older GatiHandler %s has; change spec.path, spec.methods or spec.route, or delete one of the two", e.Claim, e.Owner)
}

func validMessage(faults field.ErrorList) string {
	if len(faults) == 0 {
		return ""
	}
	return faults.ToAggregate().Error()
}

func sentence(text string) string {
	if text == "" || text[len(text)-1] == '.' {
		return text
	}
	return text + "."
}

func pick(yes bool, a, b string) string {
	if yes {
		return a
	}
	return b
}
