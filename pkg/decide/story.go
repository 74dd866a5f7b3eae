// Package decide computes, from the observations of a handler or module, the decision about
// its versions and the children that follow from it.
//
// Plan is the one assembly of the pure packages: pkg/compat compares versions,
// pkg/rollout decides about them, pkg/expand makes the objects. The controllers apply
// it, admission tries it on dry runs, and "kubectl gati diff" and "kubectl gati expand"
// show it. The package must not know how anything is read, written or measured.
package decide

import (
	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/admit"
	"gati.dev/gati/pkg/defaulting"
	"gati.dev/gati/pkg/expand"
	"gati.dev/gati/pkg/facts"
	"gati.dev/gati/pkg/rollout"
)

// Story is all that is known of a handler. pkg/observe reads it.
type Story struct {
	Handler *v1.GatiHandler
	Facts   facts.Facts
	// Result and Resolved are the results of the admission pipeline for the spec.
	Result   admit.Result
	Resolved defaulting.Handler
	// Records has those that are bound to the handler.
	Records   []v1.GatiVersion
	Revisions []expand.Revision
	// Workloads are by the value of the label gati.dev/workload.
	Workloads map[string]*expand.Observed
	Route     rollout.Route
	// Claims are those of the route in the cluster; where there is none, of the spec.
	Claims []LiveClaim

	// TrafficSource names what measures traffic; empty where nothing does. It is unproven
	// where pods alone are asked: those of a workload may have no metrics. Traffic is
	// what was last measured of each workload, Counters what its pods had counted,
	// Measurements the queries about the rollout's target.
	TrafficSource string
	IsUnproven    bool
	Traffic       map[string]rollout.Traffic
	Counters      map[string]rollout.Counters
	Measurements  []rollout.Measurement
	// Turn has the operator's bounds on rollouts under way; nil where there are none, or
	// where they are not known, as in a dry run.
	Turn *rollout.Turn
	// Reports has what pods said last of the transformers that they hold, by workload.
	// TransformersDeclared is true where the operator takes records for proof.
	Reports              map[string][]rollout.PodReport
	TransformersDeclared bool
	// CheckJobs has the Jobs of checks that were seen, by name.
	CheckJobs map[string]rollout.CheckJob
}

// Unmeasured is the TrafficSource of a story whose traffic may be measured elsewhere:
// a version that would be removed at no traffic stays.
const Unmeasured = "unknown"

// IsAlone reports whether a handler has one workload that is updated in place.
func (s *Story) IsAlone() bool {
	return s.Resolved.Spec.Rollout.Strategy == v1.StrategyRollingUpdate && len(s.Workloads) <= 1
}

// FrontWorkload returns the workload that the front Service selects, as it was decided
// last.
func FrontWorkload(h *v1.GatiHandler) string {
	if ro := h.Status.Rollout; ro != nil && ro.Stable != nil {
		return ro.Stable.Workload
	}
	return v1.WorkloadMain
}

// unitFor returns the unit of a revision.
func (s *Story) unitFor(revision string) rollout.Unit {
	for _, r := range s.Revisions {
		if r.Name == revision {
			return rollout.Unit{Version: r.Version, Revision: r.Name, RevisionNumber: r.Number}
		}
	}
	return rollout.Unit{}
}
