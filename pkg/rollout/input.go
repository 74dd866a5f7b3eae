package rollout

import (
	"time"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/request"
)

// Input has everything that a decision depends on.
type Input struct {
	// Now is the API server's time.
	Now time.Time
	// Handler is the name of the handler, for the names of Jobs and for commands in
	// messages; with a Namespace, these name it too.
	Handler, Namespace string
	// Policy has the spec's settings for rollouts.
	Policy Policy
	// Declared is the template that the spec leads to.
	Declared Unit
	// Intent identifies the wish of the spec; IntentFor computes it. When it changes,
	// rejections and the pin of a rollback are over. EarlierIntent is the same wish in the
	// form of earlier statuses.
	Intent, EarlierIntent string
	// Records has the settings of the GatiVersions, by version.
	Records map[string]Record
	// Kept has the names of the ControllerRevisions that are still there; nil where that
	// is not known.
	Kept map[string]bool
	// Transformers are the pairs that every pod gets in its file.
	Transformers Transformers
	// Request is the pending request; nil where there is none.
	Request *Request
	// HasFaults reports that the spec cannot be applied. Declared is then the last valid
	// template, and the rollout does not continue.
	HasFaults bool
	// State is the result of the decision before.
	State State
	// Turn bounds the rollouts that are under way at once; nil where nothing bounds the
	// rollout of the declared template.
	Turn *Turn

	// Workloads has the observed workloads, by the value of the label
	// gati.dev/workload. A missing one was not read, which is not the same as one
	// that does not exist.
	Workloads map[string]Workload
	// Route is the observed HTTPRoute.
	Route Route
	// Measurements are the last ones of the target, at most one for each query of
	// the policy.
	Measurements []Measurement
	// Counters has those of the target and the stable version, by workload.
	Counters map[string]Counters
	// CheckJobs has the Jobs of checks that were seen, by name.
	CheckJobs map[string]CheckJob
}

// nameHandler names the handler in a command.
func (in *Input) nameHandler() string {
	if in.Namespace == "" {
		return in.Handler
	}
	return in.Handler + " -n " + in.Namespace
}

// State carries over from one decision to the next. It is persisted in
// GatiHandler.status.
type State struct {
	// Versions are the units, oldest version first.
	Versions []v1.VersionStatus
	// Rollout is nil before the first decision, and when the status was lost.
	Rollout *v1.RolloutStatus
}

// Unit is a template of a version.
type Unit struct {
	Version        string
	Revision       string
	RevisionNumber int64
}

// Record has the settings of a version's GatiVersion, and how its schemas compare
// with those of other versions.
type Record struct {
	// Traffic is the requested share in percent under the strategy Manual; nil where
	// none is requested.
	Traffic *int32
	// Inactive takes the version out of service.
	Inactive bool
	// Needed keeps the version in the status after its end: others have put something into
	// the record, or a transformer names the version. Breaking is the author's claim that
	// it breaks the callers before it, which counts while one of those is live.
	Needed, Breaking bool
	// Keep and Tags protect it from being drained.
	Keep bool
	Tags []string
	// Held is why the version must not get weighted traffic; empty when it may.
	Held string
	// Run is the first version of its run, in which none breaks the one before; empty
	// while all versions are of one run. Serves are the versions of other runs whose
	// callers it serves.
	Run    string
	Serves []string
	// AllowedBy is the user who allows it traffic all the same.
	AllowedBy string
}

// Request is a request with the user who made it.
type Request struct {
	request.Request
	By string
	// Reason is the user's own explanation; it decides nothing.
	Reason string
}

// Observation counts the pods of one workload.
type Observation struct {
	// Updated, Ready and Wanted count the pods of the newest template, the ready
	// ones and the desired ones.
	Updated, Ready, Wanted int32
	// Complete reports whether every pod runs the desired template and no other pod
	// is left.
	Complete bool
}

// Workload is one observed workload.
type Workload struct {
	// Exists reports whether the Deployment exists.
	Exists bool
	// Unit is the template that it runs. It is needed when the status was lost.
	Unit Unit
	// Observation counts its pods.
	Observation
	// ExposedAt is since when a Service leads to its pods: until then none of them can be
	// ready. It is zero where that does not matter.
	ExposedAt time.Time
	// Settling counts the ready pods that became reachable a moment ago: a gateway
	// may not know them yet.
	Settling int32
	// Restarts counts the restarts of containers of its present pods.
	Restarts int32
	// Trouble is the reason why a pod is not ready, such as "ImagePullBackOff:
	// v2 not found"; empty when nothing does.
	Trouble string
	// Obstructed reports whether Trouble is no fault of the template: pods of any version
	// would meet it.
	Obstructed bool
	// Traffic is the last measurement of the requests that reach its pods.
	Traffic Traffic
	// Reports has one entry for each ready pod: the transformers that it holds.
	Reports []PodReport
}

// Traffic is one measurement of the requests that reach the pods of a workload.
type Traffic struct {
	// Source names what measures. It is empty where nothing is configured that
	// could: then drain.deadline decides.
	Source string
	// Unproven reports whether the source is pods none of which has answered with metrics
	// so far: there may be nothing to measure. At is zero while none was asked.
	Unproven bool
	// Partial reports whether the source does not see every path to the pods. Requests
	// that it sees are requests; that it sees none means nothing.
	Partial bool
	// Known reports whether every request between From and At was counted. Message
	// is the reason where not.
	Known    bool
	From, At time.Time
	// Requests have ended in that time, InFlight were being worked on at its end.
	Requests, InFlight int64
	// Lost reports whether pods ended whose last requests were not counted.
	Lost bool
	// Counted and CountedBy let another reader of the same counters carry on.
	Counted   int64
	CountedBy string
	Message   string
}

// Route is the observed HTTPRoute.
type Route struct {
	// Exists reports whether there is one.
	Exists bool
	// Weights has the weights of the rule without a pin, by workload.
	Weights map[string]int32
	// Generation is that of the route.
	Generation int64
	// Parents has the answer of each parent that the spec names.
	Parents []Parent
}

// Parent is the answer of one parent of the route.
type Parent struct {
	// Name is for sentences.
	Name string
	// Claimed reports whether the parent's controller has written a status.
	Claimed bool
	// ObservedGeneration is the generation that the conditions speak of.
	ObservedGeneration int64
	// Accepted and ResolvedRefs report whether the conditions are True; Message is
	// that of one that is not.
	Accepted, ResolvedRefs bool
	Message                string
}

// Measurement is one look at one query about the target.
type Measurement struct {
	// Name is that of the metric, Of the workload that was measured.
	Name, Of string
	// At is when it was measured, From since when: all of it is about one step if
	// that began before.
	From, At time.Time
	// Known reports whether there is a value. Message is the reason where not.
	Known   bool
	Message string
	// Value is in the unit of the query.
	Value float64
	// Samples counts the requests in that time; nil where they are not counted.
	Samples *int64
}
