package rollout

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Decision is what should be, and why.
type Decision struct {
	// State is to be persisted before anything is done about the rest.
	State
	// Undecided reports whether too little was seen to act at all: leave everything as
	// it is and look again. Only the sentence speaks then.
	Undecided bool
	// Workloads are all that should run, oldest first.
	Workloads []WorkloadPlan
	// Front is the workload that the front Service selects; empty for all of the
	// handler's, where there is no gateway.
	Front string
	// Delete are the workloads that are over.
	Delete []string
	// Unpinned are versions that are reached by no header, because a route holds
	// no more rules.
	Unpinned []string
	// Reason is one sentence for people. Stalled tells that somebody has to act.
	Reason  string
	Stalled bool
	// Notes are further sentences: what keeps a version from going.
	Notes []string
	// Unmeasured are sentences about versions of which nothing is known, although it
	// matters: what measures is silent.
	Unmeasured []string
	// Events are to be told once, after the state was persisted.
	Events []Event
	// After is when to look again if nothing happens; zero for never.
	After time.Duration
}

// WorkloadPlan is what one workload should be.
type WorkloadPlan struct {
	// Workload is the value of its label, Unit the template that it runs.
	Workload string
	Unit     Unit
	// Weight is its share of the traffic in percent.
	Weight int32
	// Replicas is the number of its pods, or under an autoscaler the least; Exact
	// holds the autoscaler at that number.
	Replicas int32
	Exact    bool
	// Pinned reports whether it is reached by the header X-Gati-Version.
	Pinned bool
	// Paused stops the Deployment from replacing pods.
	Paused bool
	// MeasureEvery is how often its traffic is to be measured; zero for never. Judged
	// tells that how it answers is asked for as well.
	MeasureEvery time.Duration
	Judged       bool
	// RestartedAt goes into the template as kubectl rollout restart puts it.
	RestartedAt *metav1.Time
}

// Event is something that happened.
type Event struct {
	// Warning tells an event of type Warning from one of type Normal.
	Warning bool
	// Reason is one word, Message one sentence.
	Reason, Message string
}
