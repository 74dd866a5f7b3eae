package report

import (
	"errors"
	"fmt"
	"strings"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/target"
)

// state is which of the conditions Ready, Reconciling and Stalled is True: exactly one.
type state int

const (
	ready state = iota
	reconciling
	stalled
)

// verdict is the one thing to say.
type verdict struct {
	state   state
	health  v1.Health
	reason  v1.ConditionReason
	message string
	// isFault is true where a spec or a child is not as it should be, whatever serves.
	isFault bool
}

// findVerdict finds the verdict, the most urgent first.
func findVerdict(s Seen) verdict {
	for _, check := range []func(Seen) (verdict, bool){checkFaults, checkChildren, checkWaiting, checkWrites, checkSettled, checkPods} {
		if v, found := check(s); found {
			return v
		}
	}
	return verdict{state: reconciling, health: v1.Progressing, reason: v1.ReasonProgressing, message: s.sentenceWithCause()}
}

// sentenceWithCause is the sentence with what keeps pods from being ready, unless it says that
// already, after a write that is tried again.
func (s Seen) sentenceWithCause() string {
	text := s.Sentence
	if !strings.Contains(text, strings.TrimRight(s.Trouble, ".")) {
		text += " " + s.Trouble
	}
	if failed := s.findFailedWrite(); failed != nil {
		text = endSentence(failed.Error()) + " " + text
	}
	return text
}

func checkFaults(s Seen) (verdict, bool) {
	if len(s.Faults) == 0 {
		return verdict{}, false
	}
	message := endSentence("Nothing was changed: " + s.Faults.ToAggregate().Error())
	if s.IsRolling {
		message += " " + s.Sentence
	}
	return verdict{stalled, v1.Invalid, v1.ReasonInvalid, message, true}, true
}

// checkChildren finds a child that others have to mend.
func checkChildren(s Seen) (verdict, bool) {
	for _, c := range s.Children {
		if c.Problem != nil && !isPassing(c.Problem) {
			return verdict{stalled, v1.Failed, problemReason(c.Problem), endSentence(c.Problem.Error()), true}, true
		}
	}
	return verdict{}, false
}

// checkWrites finds a child that cannot be written yet: the garbage collector has not
// removed one of that name, a write failed, or the cluster does not show it yet.
func checkWrites(s Seen) (verdict, bool) {
	for _, c := range s.Children {
		if leaving := (*target.LeavingError)(nil); errors.As(c.Problem, &leaving) {
			return verdict{state: reconciling, health: v1.Progressing, reason: v1.ReasonOldChildren, message: endSentence(leaving.Error())}, true
		}
	}
	if s.findFailedWrite() != nil {
		return verdict{state: reconciling, health: v1.Progressing, reason: v1.ReasonApplyFailed, message: s.sentenceWithCause()}, true
	}
	for _, c := range s.Children {
		if unsynced := (*target.UnsyncedError)(nil); errors.As(c.Problem, &unsynced) {
			return verdict{state: reconciling, health: v1.Progressing, reason: v1.ReasonNotSynced, message: endSentence(unsynced.Error()) + " " + s.sentenceWithCause()}, true
		}
	}
	return verdict{}, false
}

// findFailedWrite returns the first write that failed and is tried again.
func (s Seen) findFailedWrite() error {
	for _, c := range s.Children {
		if failed := (*target.FailedError)(nil); errors.As(c.Problem, &failed) {
			return failed
		}
	}
	return nil
}

// isPassing reports whether a problem may pass by itself.
func isPassing(problem error) bool {
	var failed *target.FailedError
	var leaving *target.LeavingError
	var unsynced *target.UnsyncedError
	return errors.As(problem, &failed) || errors.As(problem, &leaving) || errors.As(problem, &unsynced)
}

// waits are the reasons of the condition Stalled where a rollout waits for a user.
var waits = map[v1.WaitingReason]v1.ConditionReason{
	v1.WaitingForSpecChange:    v1.ReasonRejected,
	v1.WaitingForCompatibility: v1.ReasonBreaking,
	v1.WaitingForShares:        v1.ReasonTooManyShares,
	v1.WaitingForAction:        v1.ReasonRolloutFailed,
}

// checkWaiting finds a rollout that continues only after a user has acted.
func checkWaiting(s Seen) (verdict, bool) {
	if s.IsBreaking {
		return verdict{state: stalled, health: v1.Degraded, reason: v1.ReasonBreaking, message: s.sentenceWithCause()}, true
	}
	if s.Waiting != nil {
		switch health := s.Waiting.Reason.Health(); {
		case health == v1.Paused:
			return verdict{state: reconciling, health: health, reason: v1.ReasonPaused, message: s.sentenceWithCause()}, true
		case health == v1.RolledBack && s.IsPinned:
			return verdict{state: stalled, health: health, reason: v1.ReasonRolledBack, message: s.sentenceWithCause()}, true
		case health != v1.Progressing:
			return verdict{state: stalled, health: health, reason: waits[s.Waiting.Reason], message: s.sentenceWithCause()}, true
		}
	}
	if !s.Halted {
		return verdict{}, false
	}
	v := verdict{state: stalled, health: v1.Failed, reason: v1.ReasonRolloutHalted, message: s.sentenceWithCause()}
	switch {
	case s.Waiting == nil:
	case !s.IsRolling && s.IsFailing:
		v.health, v.reason = v1.Degraded, v1.ReasonPodsFailing
	case !s.IsRolling:
		v.health, v.reason = v1.Degraded, v1.ReasonUnreachable
	case s.Waiting.Reason == v1.WaitingForPods, s.Stable == nil:
		v.reason = v1.ReasonNoProgress
	}
	return v, true
}

func checkSettled(s Seen) (verdict, bool) {
	return verdict{state: ready, health: v1.Healthy, reason: v1.ReasonReady, message: s.Sentence}, s.Settled()
}

// checkPods finds pods that do not become ready by themselves.
func checkPods(s Seen) (verdict, bool) {
	v := verdict{state: stalled, health: v1.Failed, message: s.sentenceWithCause()}
	switch {
	case s.Refused != "":
		v.reason, v.message = v1.ReasonRefused, s.Sentence+" "+endSentence(s.Refused)
	case s.DeadlinePassed:
		v.reason = v1.ReasonNoProgress
	case s.IsFailing && !s.IsRolling:
		v.health, v.reason = v1.Degraded, v1.ReasonPodsFailing
	default:
		return v, false
	}
	return v, true
}

// describeAvailability returns the reason and the message of the condition Available.
func describeAvailability(s Seen) (v1.ConditionReason, string) {
	switch {
	case s.Stable == nil:
		return v1.ReasonNothingServes, "No version has served yet."
	case s.isAvailable():
		return v1.ReasonAvailable, fmt.Sprintf("%d of %d pods are ready.", s.Stable.Ready, s.Stable.Wanted)
	default:
		return v1.ReasonTooFewPods, fmt.Sprintf("%d of %d pods are ready.", s.Stable.Ready, s.Stable.Wanted)
	}
}
