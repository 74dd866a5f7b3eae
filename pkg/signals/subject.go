package signals

import (
	"context"
	"slices"
	"time"

	"gati.dev/gati/pkg/rollout"
)

// Key names a workload.
type Key struct{ Namespace, Handler, Workload string }

// Subject is a workload that somebody wants to know about.
type Subject struct {
	Key
	Version    string
	Deployment string
	Service    string
	Port       int32
	// Pods are all that there are, ready or not.
	Pods []Pod
	// Own are the routes that nobody's request takes: those of probes and metrics.
	Own []string
	// OnlyPath reports whether nothing reaches the pods but through the gateway.
	OnlyPath bool
	// Since is up to when its traffic is known. Counted and CountedBy are what a
	// reader of its counters left then.
	Since     time.Time
	Counted   int64
	CountedBy string
	// Window is the time that Stats and Queries speak of; zero when nobody asks.
	Window  time.Duration
	Queries []Query
}

// Query is a user's own, with everything filled in.
type Query struct{ Name, PromQL string }

// Pod is one of a workload's.
type Pod struct {
	Name string
	// Instance changes when its counters begin anew: uid and restarts.
	Instance string
	IP       string
	// Started is when its container began to run, zero while it does not.
	Started time.Time
}

// running are the pods that may have had a request.
func (s Subject) running() []Pod {
	return slices.DeleteFunc(slices.Clone(s.Pods), func(p Pod) bool { return p.Started.IsZero() })
}

// own reports whether a route is taken by no request.
func (s Subject) own(route string) bool { return route != "" && slices.Contains(s.Own, route) }

// Reading is what a source says of a subject.
type Reading struct {
	// Traffic is what reached it since it was last known.
	Traffic rollout.Traffic
	// Stats are about its window, from From to At; nil where they are not known, and
	// Message says why.
	Stats    *Stats
	From, At time.Time
	Message  string
	// Queries has what each query gave, by name.
	Queries map[string]Answer
}

// Answer is what a user's query gave: a number, or why there is none.
type Answer struct {
	Value   float64
	Known   bool
	Message string
}

// Source measures workloads.
type Source interface {
	// Name is what people and the status call it.
	Name() string
	// Measure returns a reading for every subject, also where there is nothing to
	// read. It takes no longer than the source's own limit.
	Measure(ctx context.Context, now time.Time, subjects []Subject) map[Key]Reading
}

// unknown is a reading that says why there is none.
func unknown(source string, now time.Time, message string) Reading {
	return Reading{
		Traffic: rollout.Traffic{Source: source, At: now, Message: message},
		At:      now, Message: message,
	}
}
