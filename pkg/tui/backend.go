package tui

import "gati.dev/gati/pkg/status"

// Verb is a request verb. The right to it has the same name.
type Verb string

// The verbs with a key.
const (
	Promote  Verb = "promote"
	Pause    Verb = "pause"
	Resume   Verb = "resume"
	Abort    Verb = "abort"
	Retry    Verb = "retry"
	Rollback Verb = "rollback"
	Restart  Verb = "restart"
	Contract Verb = "contract"
)

// Verbs are all of them.
var Verbs = []Verb{Promote, Pause, Resume, Abort, Retry, Rollback, Restart, Contract}

// Full is the argument of a promotion that skips all steps.
const Full = "full"

// Target names a handler.
type Target struct{ Namespace, Name string }

// Request is a request of a handler. The argument of a rollback, and of
// a move of the contract, is a version.
type Request struct {
	Target
	Verb     Verb
	Argument string
}

// Preview is the effect of a request, or the error of a server that refuses it.
type Preview struct {
	Change, Undo string
	Err          error
}

// Outcome is the outcome of a request.
type Outcome struct {
	Text string
	Err  error
}

// Rights maps denied verbs to the reason; absent verbs are allowed.
type Rights map[Verb]string

// Backend provides the requests of the view. Each call runs beside the view and must
// end with the context of the Backend.
type Backend interface {
	// Rights returns the denied verbs of a handler, nil if unknown.
	Rights(Target) Rights
	// Preview has the server validate a request and changes nothing.
	Preview(Request) Preview
	// Ask makes the request and waits until it was handled.
	Ask(Request) Outcome
	// Compare returns the differences between the schemas of two versions.
	Compare(t Target, old, new string) (string, error)
}

// targetFor names a handler.
func targetFor(h *status.Handler) Target { return Target{h.Namespace, h.Name} }
