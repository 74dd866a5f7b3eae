package report

import (
	"errors"
	"fmt"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/diagnose"
	"gati.dev/gati/pkg/facts"
	"gati.dev/gati/pkg/target"
)

func problemReason(err error) v1.ConditionReason {
	var foreign *target.ForeignError
	var contested *target.ContestedError
	var altered *target.AlteredError
	var missing *facts.NotServedError
	var taken *TakenError
	var obstacle *diagnose.Obstacle
	var undelivered *target.UndeliveredError
	switch {
	case errors.As(err, &undelivered):
		return undelivered.Reason
	case errors.As(err, &foreign):
		return v1.ReasonForeign
	case errors.As(err, &contested), errors.As(err, &altered):
		return v1.ReasonContested
	case errors.As(err, &missing):
		return v1.ReasonNotServed
	case errors.As(err, &obstacle):
		return v1.ReasonObstructed
	case errors.As(err, &taken):
		return v1.ReasonRouteTaken
	default:
		return v1.ReasonRefused
	}
}

// TakenError means that a gateway accepted a claim of the route for another handler of
// the namespace first.
type TakenError struct{ Claim, Owner string }

func (e *TakenError) Error() string {
	return fmt.Sprintf("spec.route asks for %s, which GatiHandler %s had first; change spec.path, spec.methods or spec.route, or delete one of the two", e.Claim, e.Owner)
}

func endSentence(text string) string {
	if text == "" || text[len(text)-1] == '.' {
		return text
	}
	return text + "."
}
