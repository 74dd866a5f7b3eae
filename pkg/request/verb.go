package request

// Verb is the action of a request. RBAC grants it by the same name, as a verb on
// gatihandlers.
type Verb string

// The verbs.
const (
	// Promote moves a Canary to its next step or to its end.
	Promote Verb = "promote"
	// Pause freezes a rollout, Resume continues it.
	Pause  Verb = "pause"
	Resume Verb = "resume"
	// Abort returns a running rollout to the stable version.
	Abort Verb = "abort"
	// Retry rolls out the declared version again after it failed, was rejected or was
	// rolled back.
	Retry Verb = "retry"
	// Rollback returns to the previous version or to the given one.
	Rollback Verb = "rollback"
	// Restart replaces the pods of every live version.
	Restart Verb = "restart"
	// Decommission drains the given version regardless of its age.
	Decommission Verb = "decommission"
	// Contract moves the contract to the given version, or to the stable one.
	Contract Verb = "contract"
	// Override allows traffic to a version that breaks its callers.
	Override Verb = "override"
)

// Fixed arguments.
const (
	// Full, of Promote, skips the remaining steps.
	Full = "full"
	// AllowBreaking is the argument of Override.
	AllowBreaking = "allow-breaking"
)

// argument describes the text that may follow a verb.
type argument struct {
	// word is the only text allowed; empty if a version is.
	word string
	// version reports whether a version is allowed.
	version bool
	// required reports whether an argument is required.
	required bool
}

// argumentOf has the argument of each verb.
var argumentOf = map[Verb]argument{
	Promote:      {word: Full},
	Pause:        {},
	Resume:       {},
	Abort:        {},
	Retry:        {},
	Rollback:     {version: true},
	Restart:      {},
	Decommission: {version: true, required: true},
	Contract:     {version: true},
	Override:     {word: AllowBreaking, required: true},
}

// Verbs returns all verbs in the order of messages.
func Verbs() []Verb {
	return []Verb{Promote, Pause, Resume, Abort, Retry, Rollback, Restart, Decommission, Contract, Override}
}

// Available returns the verbs that this release handles, and so those that the
// policy admits. A new verb is added here, in manifests/policy/requests.yaml and
// where it is handled.
func Available() []Verb {
	return []Verb{Promote, Pause, Resume, Abort, Retry, Rollback, Restart, Decommission, Contract, Override}
}
