package signals

import (
	"context"
	"slices"
	"time"

	"gati.dev/gati/pkg/rollout"
)

// Key identifies a workload.
type Key struct{ Namespace, Handler, Workload string }

// Subject is a workload to be measured.
type Subject struct {
	Key
	// Every is the interval of its measurements.
	Every      time.Duration
	Version    string
	Deployment string
	Service    string
	// ServicePort is the port of Service that the route uses.
	ServicePort int32
	// Pods are all pods of the workload, ready or not.
	Pods []Pod
	// OwnRoutes are the routes of probes and metrics, which do not count as
	// traffic.
	OwnRoutes []string
	// OnlyPath reports whether the gateway is the only path to the pods.
	OnlyPath bool
	// Since is up to when its traffic is known. Counted and CountedBy are the state
	// of the counters then.
	Since     time.Time
	Counted   int64
	CountedBy string
	// Judged asks for its counters, too.
	Judged bool
	// From is when the first interval begins; zero where it is of no matter. The turns of
	// handlers that have one need no spreading: their steps begin at times of their own.
	From time.Time
	// Reported asks each pod for its transformers, too.
	Reported bool
	// Proven reports whether its pods have answered with metrics before, maybe another
	// process: then silence is unknown traffic, and no lack of metrics.
	Proven bool
	// Window is the time that Queries cover; zero if there are none.
	Window  time.Duration
	Queries []Query
}

// Query is a user's query with its placeholders filled in.
type Query struct{ Name, PromQL string }

// Pod is one pod of a workload.
type Pod struct {
	Name string
	// Instance changes when its counters restart from zero: uid and restarts.
	Instance string
	IP       string
	// Port is the pod's own: pods of two templates may listen on different ports.
	Port int32
	// Started is when its container started; zero while it does not run.
	Started time.Time
	// Ready reports whether it should answer.
	Ready bool
}

// runningPods returns the pods that may have received a request.
func (s Subject) runningPods() []Pod {
	return slices.DeleteFunc(slices.Clone(s.Pods), func(p Pod) bool { return p.Started.IsZero() })
}

// isOwnRoute reports whether a route does not count as traffic.
func (s Subject) isOwnRoute(route string) bool {
	return route != "" && slices.Contains(s.OwnRoutes, route)
}

// Reading is a source's measurement of a subject.
type Reading struct {
	// Traffic is the traffic since the last reading.
	Traffic rollout.Traffic
	// Counters are those of a subject that is judged.
	Counters rollout.Counters
	// From and At are the time that the queries cover, Requests how many requests have
	// ended in it; nil if unknown, for the reason in Message.
	Requests *float64
	From, At time.Time
	Message  string
	// Queries has the answer of each query by name.
	Queries map[string]Answer
	// Reports has what each pod said of its transformers, if they were asked for.
	Reports []PodReport
}

// Answer is the number that a user's query returned, or the reason why there is
// none.
type Answer struct {
	Value   float64
	Known   bool
	Message string
}

// Source measures workloads.
type Source interface {
	// Name is the source's name in the status.
	Name() string
	// Measure returns a reading for every subject, known or unknown. It takes no
	// longer than the source's own limit.
	Measure(ctx context.Context, now time.Time, subjects []Subject) map[Key]Reading
}

// newUnknown returns a reading that is unknown for the reason in message.
func newUnknown(source string, now time.Time, message string) Reading {
	return Reading{
		Traffic: rollout.Traffic{Source: source, At: now, Message: message},
		At:      now, Message: message,
		Counters: rollout.Counters{At: now, Message: message},
	}
}
