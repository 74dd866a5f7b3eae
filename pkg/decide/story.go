// Package decide makes of what was seen of a handler or module what its children
// should be: the controllers apply that, and "kubectl gati diff" shows what it would
// change.
//
// It is pure, and puts the pure packages together: pkg/compat compares versions,
// pkg/rollout decides about them, pkg/expand makes the objects. It must not know how
// anything is read or written, nor what measures traffic.
package decide

import (
	"time"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/admit"
	"gati.dev/gati/pkg/compat"
	"gati.dev/gati/pkg/defaulting"
	"gati.dev/gati/pkg/expand"
	"gati.dev/gati/pkg/facts"
	"gati.dev/gati/pkg/records"
	"gati.dev/gati/pkg/rollout"
	"gati.dev/gati/pkg/seen"
)

// Story is what was seen of a handler, and what is decided about it.
type Story struct {
	Handler   *v1.GatiHandler
	Facts     facts.Facts
	Result    admit.Result
	Resolved  defaulting.Handler
	Revisions []expand.Revision
	Workloads map[string]*seen.Workload
	Route     rollout.Route
	Records   map[string]records.Election
	// Family are its versions, Verdicts what each that is in use means for callers.
	Family   compat.Family
	Verdicts map[string]compat.Verdict

	// Running is the revision that the spec leads to; Cut tells that it is new.
	Running  expand.Revision
	Cut      bool
	Decision rollout.Decision
	// decidedAt is when that was.
	decidedAt time.Time
}
