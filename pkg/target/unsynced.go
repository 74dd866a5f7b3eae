package target

import (
	"fmt"

	v1 "gati.dev/gati/api/v1"
)

// UnsyncedError means that the cluster does not show a child as it was handed on. What
// applies the plan to the cluster may still do so.
type UnsyncedError struct{ Kind, Name, Why string }

func (e *UnsyncedError) Error() string {
	return fmt.Sprintf("%s %s is not in sync: %s", e.Kind, e.Name, e.Why)
}

// UndeliveredError means that a plan could not be handed on, and that it takes an
// operator to change that.
type UndeliveredError struct {
	Reason v1.ConditionReason
	Err    error
}

func (e *UndeliveredError) Error() string { return e.Err.Error() }

func (e *UndeliveredError) Unwrap() error { return e.Err }
