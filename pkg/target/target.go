// Package target makes plans real: kubernetes applies them to the API server, helm
// installs them as releases, gitops commits them to a repository.
//
// Children are read from the cluster under every target, so Get, List and FindOwner are
// those of Children. A target must not know why a plan is as it is.
package target

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"gati.dev/gati/pkg/lazyregexp"
)

// Target makes plans real.
type Target interface {
	// Apply creates, updates and removes objects until those of the owner are
	// the planned ones. It is idempotent: a plan that stands already writes
	// nothing. An object that fails keeps no other from being written: its child in
	// the outcome has the problem. An error means that the plan could not be looked
	// at, or rests on an outdated owner.
	Apply(ctx context.Context, owner client.Object, plan Plan) (Outcome, error)
	// Delete removes what was applied for an owner that is being deleted. It is called
	// again until it reports that nothing is left.
	Delete(ctx context.Context, owner client.Object) (done bool, err error)
	// Finalizer is what an owner holds from before its first child until Delete is done:
	// FinalizerPrefix and a name. It is empty where the garbage collector removes the
	// children.
	Finalizer() string
}

// FinalizerPrefix begins the finalizers of all targets.
const FinalizerPrefix = "gati.dev/"

// Plan is what Apply makes real.
type Plan struct {
	// Objects are the children, in the order in which they are applied.
	Objects []client.Object
	// Held are children that stay as they are for now: they are neither written nor
	// removed. Where they have a problem, it is the reason.
	Held []Child
	// Fence is checked before the first write; nil lets every write pass.
	Fence *Fence
	// Scaled are the Deployments whose numbers of pods the plan rests on, by name.
	Scaled map[string]*appsv1.Deployment
}

// RestOn notes a Deployment as it was when the plan was made; nil is none.
func (p *Plan) RestOn(d *appsv1.Deployment) {
	if d == nil {
		return
	}
	if p.Scaled == nil {
		p.Scaled = map[string]*appsv1.Deployment{}
	}
	p.Scaled[d.Name] = d
}

// Hold takes the planned objects of a kind that match out of the plan. They stay as they
// are in the cluster.
func (p *Plan) Hold(kind string, problem error, matches func(client.Object) bool) {
	p.Objects = slices.DeleteFunc(slices.Clone(p.Objects), func(obj client.Object) bool {
		if !matches(obj) {
			return false
		}
		p.Held = append(p.Held, Child{Kind: kind, Name: obj.GetName(), Problem: problem})
		return true
	})
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
	// Replanned are those of Writes that follow another plan. The others create, delete, or
	// put back what was changed.
	Replanned []string
	// Notices are told as Events of the owner: "the release was rolled back".
	Notices []Notice
}

// Notice is what a target has found besides the state of children.
type Notice struct {
	Reason, Message string
	Warning         bool
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
	// HasRaced is set where a write rested on old news and is tried again in a moment,
	// IsOutdated where that was an update: the object is there, as it was planned before.
	HasRaced, IsOutdated bool
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

// StaleError says that a plan was not acted on, because its owner or what it rests on has
// changed since that was read, or could not be read again.
type StaleError struct{ Err error }

func (e *StaleError) Error() string { return e.Err.Error() }

func (e *StaleError) Unwrap() error { return e.Err }
