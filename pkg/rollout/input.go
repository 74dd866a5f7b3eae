package rollout

import (
	"time"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/request"
)

// Input is all that a decision rests on.
type Input struct {
	// Now is the API server's time.
	Now time.Time
	// Policy is what the spec says about rollouts.
	Policy Policy
	// Declared is what the spec leads to.
	Declared Unit
	// Intent identifies what the spec asks for; IntentFor computes it. When it
	// changes, rejections and the pin of a rollback are over.
	Intent string
	// Records has what the GatiVersions say, by version.
	Records map[string]Record
	// Kept has the names of the ControllerRevisions that are still there.
	Kept map[string]bool
	// Request is what somebody asks for; nil when nobody does.
	Request *Request
	// State is what was decided before.
	State State

	// Workloads has what was seen of each workload, by the value of its label
	// gati.dev/workload. One that is missing was not looked at, which is not the
	// same as one that does not exist.
	Workloads map[string]Workload
	// Route is what was seen of the HTTPRoute.
	Route Route
	// Measurements are what was last measured of the target, one for each metric of
	// the policy at most.
	Measurements []Measurement
}

// State is what one decision leaves for the next. It is persisted in
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

// Record is what the GatiVersion of a version says, and what was found out about
// the version.
type Record struct {
	// Traffic is the relative share under the strategy Manual.
	Traffic *int32
	// Inactive takes the version out of service.
	Inactive bool
	// Keep and Tags protect it from being drained.
	Keep bool
	Tags []string
	// Held says why the version must not take weighted traffic; empty when it may.
	Held string
	// AllowedBy is who lets it take traffic all the same.
	AllowedBy string
}

// Request is a request with the user who made it.
type Request struct {
	request.Request
	By string
	// Reason is what they said why; it decides nothing.
	Reason string
}

// Observation is what the cluster says of the pods of one workload.
type Observation struct {
	// Updated, Ready and Wanted count the workload's pods: those of the newest
	// template, those that are ready, those that are asked for.
	Updated, Ready, Wanted int32
	// Complete reports whether every pod runs the template asked for and no other pod
	// is left.
	Complete bool
}

// Workload is what the cluster has of one workload.
type Workload struct {
	// Exists reports whether there is a Deployment.
	Exists bool
	// Unit is what it runs. It is needed when the status was lost.
	Unit Unit
	// Observation counts its pods.
	Observation
	// Settling are those of the ready pods that can be reached only since just now:
	// a gateway may not have heard of them yet.
	Settling int32
	// Restarts counts the restarts of containers of its present pods.
	Restarts int32
	// Trouble says what keeps a pod from being ready, such as "ImagePullBackOff:
	// v2 not found"; empty when nothing does.
	Trouble string
	// Traffic is what was last measured of what reaches its pods.
	Traffic Traffic
}

// Traffic is one measurement of what reaches the pods of a workload.
type Traffic struct {
	// Source names what measures. It is empty where nothing is configured that
	// could: then drain.deadline decides.
	Source string
	// Partial reports whether the source does not see every path to the pods. Requests
	// that it sees are requests; that it sees none means nothing.
	Partial bool
	// Known reports whether every request between From and At was counted. Message says
	// why not.
	Known    bool
	From, At time.Time
	// Requests have ended in that time, InFlight were being worked on at its end.
	Requests, InFlight int64
	// Lost reports whether pods went whose last requests nobody has counted.
	Lost bool
	// Counted and CountedBy let another reader of the same counters carry on.
	Counted   int64
	CountedBy string
	Message   string
}

// Route is what the cluster has of the HTTPRoute.
type Route struct {
	// Read reports whether somebody looked, Exists that there is one.
	Read, Exists bool
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
	// Claimed reports whether the parent's controller has written a status at all.
	Claimed bool
	// ObservedGeneration is the generation that the conditions speak of.
	ObservedGeneration int64
	// Accepted and ResolvedRefs tell that the conditions are True; Message says
	// why when one is not.
	Accepted, ResolvedRefs bool
	Message                string
}

// Measurement is one look at one metric of the target.
type Measurement struct {
	// Name is that of the metric, Of the workload that was measured.
	Name, Of string
	// At is when it was measured, From since when: all of it is about one step if
	// that began before.
	From, At time.Time
	// Known reports whether there is a value. Message says why not.
	Known   bool
	Message string
	// Value is in percent, in seconds, or whatever a query gives. AtLeast tells that
	// it may be more: the slowest requests are beyond what is distinguished.
	Value   float64
	AtLeast bool
	// Samples is how many requests the value rests on; nil where nobody counts them.
	Samples *int64
	// Baseline is the value of the stable version over the same time, nil where it is
	// not known, or rests on too few requests.
	Baseline *float64
}
