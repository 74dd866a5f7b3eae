// Package target says where a plan goes. kubernetes applies it to the API server;
// helm and gitops will hand it on.
//
// A target makes what it is given real, no more: it must not know why a plan is
// as it is.
package target

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"gati.dev/gati/internal/lazyregexp"
)

// Target makes plans real.
type Target interface {
	// Apply creates, updates and removes objects until those of the owner are
	// the planned ones. It is idempotent: a plan that stands already writes
	// nothing. An object that fails keeps no other from being written: its child in
	// the outcome has the problem. An error means that the plan could not be looked
	// at, or rests on an outdated owner.
	Apply(ctx context.Context, owner client.Object, plan Plan) (Outcome, error)
}

// Plan is what Apply makes real.
type Plan struct {
	// Objects are the children, in the order in which they are applied.
	Objects []client.Object
	// Held are children that stay as they are for now: they are neither written nor
	// removed. Where they have a problem, it is the reason.
	Held []Child
	// Fence is checked before the first write; nil lets every write pass.
	Fence *Fence
}

// Outcome is the result of applying a plan.
type Outcome struct {
	// Children are the planned objects, in the plan's order, then those that are held
	// and those that could not be removed.
	Children []Child
	// Again is how soon a write that failed may be tried again; zero when none failed.
	Again time.Duration
	// Writes are the changes that were made, for people: "created Service a".
	Writes []string
}

// HasWritten reports whether an object was written.
func (o *Outcome) HasWritten(kind, name string) bool {
	return slices.ContainsFunc(o.Writes, func(write string) bool { return strings.HasSuffix(write, " "+kind+" "+name) })
}

// Child is one planned object and what is wrong with it.
type Child struct {
	Kind, Name string
	// Generation is that of the live object after the last write.
	Generation int64
	// Problem is why the object is not as planned; nil when it is.
	Problem error
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

// RefusedError says that the API server refuses an object: its schema, a policy,
// a quota or a missing right.
type RefusedError struct {
	Kind, Name string
	Err        error
}

func (e *RefusedError) Error() string {
	return fmt.Sprintf("the API server refuses %s %s: %s", e.Kind, e.Name, e.Err)
}

func (e *RefusedError) Unwrap() error { return e.Err }

// FailedError says that a write of an object failed for a reason that may pass, such as
// a webhook that does not answer. It is tried again.
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

// StaleError says that a plan was not acted on, because its owner has changed since it
// was read, or could not be read again.
type StaleError struct{ Err error }

func (e *StaleError) Error() string { return e.Err.Error() }

func (e *StaleError) Unwrap() error { return e.Err }
