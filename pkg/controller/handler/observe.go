package handler

import (
	"context"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/admit"
	"gati.dev/gati/pkg/compat"
	"gati.dev/gati/pkg/controller/report"
	"gati.dev/gati/pkg/defaulting"
	"gati.dev/gati/pkg/expand"
	"gati.dev/gati/pkg/facts"
	"gati.dev/gati/pkg/observe"
	"gati.dev/gati/pkg/records"
	"gati.dev/gati/pkg/rollout"
	"gati.dev/gati/pkg/signals"
	"gati.dev/gati/pkg/target"
)

// story is one reconciliation: what was seen, what was decided, what came of it.
type story struct {
	handler   *v1.GatiHandler
	facts     facts.Facts
	result    admit.Result
	resolved  defaulting.Handler
	revisions []expand.Revision
	workloads map[string]*observe.Workload
	route     rollout.Route
	records   map[string]records.Election
	// family are its versions, verdicts what each that is in use means for callers.
	family   compat.Family
	verdicts map[string]compat.Verdict
	// taken tells that an older handler's route has the traffic of this one's.
	taken *report.TakenError

	// readings are what was last measured, by workload; measuredBy is what measures,
	// empty where nothing does. queries tells that users' own may be asked.
	readings   map[string]signals.Reading
	measuredBy string
	queries    bool

	// running is the revision that the spec leads to; cut tells that it is new.
	running  expand.Revision
	cut      bool
	decision rollout.Decision

	outcome target.Outcome
	// unpinned are the versions that no header leads to.
	unpinned []string
}

// observe reads all that the decisions rest on.
func (r *Reconciler) observe(ctx context.Context, h *v1.GatiHandler) (*story, error) {
	s := &story{handler: h}
	var err error
	if s.facts, err = r.Facts.For(ctx, h.Namespace); err != nil {
		return nil, err
	}
	s.result, s.resolved = r.Admit.Handler(h, nil, s.facts)
	if s.revisions, err = observe.Revisions(ctx, r.Client, h, v1.LabelHandler); err != nil {
		return nil, err
	}
	if s.workloads, err = observe.Workloads(ctx, r.Client, h); err != nil {
		return nil, err
	}
	if s.records, err = r.electRecords(ctx, h); err != nil {
		return nil, err
	}
	if s.taken, err = r.taken(ctx, h); err != nil || !s.facts.HTTPRouteServed {
		return s, err
	}
	s.route, err = observe.ReadRoute(ctx, r.Client, h.Namespace, h.Name, s.frontWorkload())
	return s, err
}

// frontWorkload is the workload that the front Service selects, as it was decided
// last.
func (s *story) frontWorkload() string {
	if ro := s.handler.Status.Rollout; ro != nil && ro.Stable != nil {
		return ro.Stable.Workload
	}
	return v1.WorkloadMain
}
