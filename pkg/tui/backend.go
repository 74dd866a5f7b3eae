package tui

import "gati.dev/gati/pkg/status"

// Verb is what can be asked of a handler. The right to it has the same name.
type Verb string

// The verbs that have a key.
const (
	Promote  Verb = "promote"
	Pause    Verb = "pause"
	Resume   Verb = "resume"
	Abort    Verb = "abort"
	Rollback Verb = "rollback"
	Restart  Verb = "restart"
)

// Verbs are all of them.
var Verbs = []Verb{Promote, Pause, Resume, Abort, Rollback, Restart}

// Full is the argument of a promotion past all steps.
const Full = "full"

// Target names a handler.
type Target struct{ Namespace, Name string }

// Request is one thing to ask of a handler. The argument of a rollback is a
// version.
type Request struct {
	Target
	Verb     Verb
	Argument string
}

// Preview is what a request would do, or why the server does not take it.
type Preview struct {
	Change, Undo string
	Err          error
}

// Outcome is what came of a request.
type Outcome struct {
	Text string
	Err  error
}

// Rights say of a verb why it may not be asked; what is absent may. They are data:
// the view asks nobody itself.
type Rights map[Verb]string

// Backend does what the view needs done. Each call may take long and is made beside
// the view; it must end when whoever made the Backend ends.
type Backend interface {
	// Rights says what the user may ask of a handler. Nil is that nobody knows.
	Rights(Target) Rights
	// Preview lets the server judge a request and changes nothing.
	Preview(Request) Preview
	// Ask makes the request and waits until it was handled.
	Ask(Request) Outcome
	// Compare says how two versions differ in what they take and give.
	Compare(t Target, old, new string) (string, error)
}

// targetOf names a handler.
func targetOf(h *status.Handler) Target { return Target{h.Namespace, h.Name} }
