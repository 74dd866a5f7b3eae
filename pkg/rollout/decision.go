package rollout

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Decision is the desired state of a handler, and the reason for it.
type Decision struct {
	// State is to be persisted before anything is done about the rest.
	State
	// Undecided reports whether too little was observed to act: everything stays as it
	// is, and only Reason and After are set.
	Undecided bool
	// Workloads has all desired workloads, oldest first.
	Workloads []WorkloadPlan
	// Checks are those whose Jobs should run.
	Checks []CheckPlan
	// Front is the workload that the front Service selects; empty for all of the
	// handler's, where there is no gateway.
	Front string
	// Delete has the workloads to delete.
	Delete []string
	// Unpinned are versions that are reached by no header, because a route holds
	// no more rules.
	Unpinned []string
	// Reason is one sentence for people. Stalled reports whether a user has to act.
	Reason  string
	Stalled bool
	// Notes are further sentences: why a version stays, or why the declared one waits.
	Notes []string
	// Unmeasured are sentences about versions whose traffic matters and is unknown,
	// because its source is silent.
	Unmeasured []string
	// Events are published once, after the state was persisted.
	Events []Event
	// After is when to look again if nothing happens; zero for never.
	After time.Duration
}

// WorkloadPlan is the desired state of one workload.
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
	// MayIdle reports whether its autoscaler may take the last pod away.
	MayIdle bool
	// Pinned reports whether it is reached by the header X-Gati-Version.
	Pinned bool
	// Paused stops the Deployment from replacing pods.
	Paused bool
	// MeasureEvery is how often its traffic is to be measured; zero for never. Judged
	// reports whether its responses are analysed as well.
	MeasureEvery time.Duration
	Judged       bool
	// MeasureFrom is when the first interval of a step begins; nil where none does.
	MeasureFrom *metav1.Time
	// SeekSource requests a probe for metrics, so that the source is known before a
	// decision depends on it.
	SeekSource bool
	// ReportEvery is how often its pods are asked which transformers they hold; zero for
	// never.
	ReportEvery time.Duration
	// RestartedAt goes into the template as kubectl rollout restart puts it.
	RestartedAt *metav1.Time
}

// Event is something that happened.
type Event struct {
	// Warning makes the event one of type Warning instead of Normal.
	Warning bool
	// Reason is one word, Message one sentence.
	Reason, Message string
}
