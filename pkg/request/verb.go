package request

// Verb is what a request asks for. RBAC grants it by the same name, as a verb on
// gatihandlers.
type Verb string

// The verbs.
const (
	// Promote takes a Canary to its next step, or to its end.
	Promote Verb = "promote"
	// Pause freezes whatever is going on, and Resume thaws it.
	Pause  Verb = "pause"
	Resume Verb = "resume"
	// Abort takes a running rollout back to the stable version.
	Abort Verb = "abort"
	// Rollback goes back to the version before, or to the one named.
	Rollback Verb = "rollback"
	// Restart replaces the pods of every live version.
	Restart Verb = "restart"
	// Decommission drains the version named without waiting for its age.
	Decommission Verb = "decommission"
	// Override lets a version take traffic that breaks its callers.
	Override Verb = "override"
)

// The arguments that are words.
const (
	// Full, of Promote, skips the steps that are left.
	Full = "full"
	// AllowBreaking is what Override is about.
	AllowBreaking = "allow-breaking"
)

// argument says what may follow a verb.
type argument struct {
	// word is the only text that may; empty where a version may.
	word string
	// version reports whether a version may follow.
	version bool
	// required reports whether the argument may not be left out.
	required bool
}

// forms has the argument of each verb.
var forms = map[Verb]argument{
	Promote:      {word: Full},
	Pause:        {},
	Resume:       {},
	Abort:        {},
	Rollback:     {version: true},
	Restart:      {},
	Decommission: {version: true, required: true},
	Override:     {word: AllowBreaking, required: true},
}

// Verbs returns all verbs, in the order in which they are told to people.
func Verbs() []Verb {
	return []Verb{Promote, Pause, Resume, Abort, Rollback, Restart, Decommission, Override}
}

// Available returns the verbs that this release acts upon, and so those that the
// policy admits. A verb is added here and in manifests/policy/requests.yaml with
// what acts upon it.
func Available() []Verb {
	return []Verb{Promote, Pause, Resume, Abort, Rollback, Restart, Decommission, Override}
}
