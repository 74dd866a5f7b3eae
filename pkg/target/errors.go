package target

import (
	"errors"
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/lazyregexp"
)

// ForeignError reports that an object of that name exists and has another owner. It is
// never taken over.
type ForeignError struct{ Kind, Namespace, Name, Owner string }

func (e *ForeignError) Error() string {
	belongs := "was not created by this object"
	if e.Owner != "" {
		belongs = "belongs to " + e.Owner
	}
	return fmt.Sprintf("%s %s already exists and %s; delete or rename it", e.Kind, e.Name, belongs)
}

// LeavingError means that an object belongs to a deleted owner of the same name: the
// garbage collector removes it.
type LeavingError struct{ Kind, Name, Owner string }

func (e *LeavingError) Error() string {
	return fmt.Sprintf("Waiting for the old children to be removed: %s %s belongs to a deleted %s", e.Kind, e.Name, e.Owner)
}

// NotOwnedError returns why an object that exists is not a child of an owner.
func NotOwnedError(kind string, live, owner client.Object) error {
	o := metav1.GetControllerOf(live)
	if o == nil {
		return &ForeignError{Kind: kind, Namespace: live.GetNamespace(), Name: live.GetName()}
	}
	title := o.Kind + " " + o.Name
	if o.APIVersion == v1.GroupVersion.String() && o.Name == owner.GetName() && o.UID != owner.GetUID() {
		return &LeavingError{Kind: kind, Name: live.GetName(), Owner: title}
	}
	return &ForeignError{Kind: kind, Namespace: live.GetNamespace(), Name: live.GetName(), Owner: title}
}

// ContestedError means that another writer keeps changing fields of ours.
type ContestedError struct{ Kind, Name, Manager string }

func (e *ContestedError) Error() string {
	return fmt.Sprintf("%s %s: %s keeps changing fields that gati-webhook manages; stop it from changing them", e.Kind, e.Name, e.Manager)
}

// AlteredError means that a field of ours has another value than the one that was sent: something changes it at admission, and would each time.
type AlteredError struct {
	Kind, Name        string
	Field, Want, Have string
	// Suspects are the mutating webhooks and policies that see such objects.
	Suspects []string
}

func (e *AlteredError) Error() string {
	who := "a mutating webhook or policy"
	if len(e.Suspects) > 0 {
		who = strings.Join(e.Suspects, " or ")
	}
	return fmt.Sprintf("%s %s: %s was sent as %s and is stored as %s: %s changes it at admission; stop it from changing the field",
		e.Kind, e.Name, e.Field, e.Want, e.Have, who)
}

// RefusedError reports that the API server refuses an object: its schema, a policy, a quota
// or a missing right.
type RefusedError struct {
	Kind, Name string
	Err        error
}

func (e *RefusedError) Error() string {
	return fmt.Sprintf("the API server refuses %s %s: %s", e.Kind, e.Name, e.Err)
}

func (e *RefusedError) Unwrap() error { return e.Err }

// FailedError reports that a write failed for a temporary reason, such as a webhook that
// does not answer. It is retried.
type FailedError struct {
	Kind, Name string
	Err        error
}

// ports are those of a connection. They differ with each try, and a status that
// changes by itself would be written again and again.
var ports = lazyregexp.New(`(\d+\.\d+\.\d+\.\d+|\[[0-9a-f:]+\]):\d+->`)

// NewFailedError returns an error whose text stays the same with each try.
func NewFailedError(kind, name string, err error) *FailedError {
	if text := err.Error(); ports.MatchString(text) {
		err = errors.New(ports.ReplaceAllString(text, ""))
	}
	return &FailedError{Kind: kind, Name: name, Err: err}
}

func (e *FailedError) Error() string {
	return fmt.Sprintf("%s %s could not be written and is tried again: %s", e.Kind, e.Name, e.Err)
}

func (e *FailedError) Unwrap() error { return e.Err }

// StaleError reports that a plan was not applied: its owner or another input has changed
// since it was read, or could not be read again.
type StaleError struct{ Err error }

func (e *StaleError) Error() string { return e.Err.Error() }

func (e *StaleError) Unwrap() error { return e.Err }

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
