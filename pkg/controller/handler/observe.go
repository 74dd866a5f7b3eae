package handler

import (
	"context"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/controller/report"
	"gati.dev/gati/pkg/decide"
	"gati.dev/gati/pkg/observe"
	"gati.dev/gati/pkg/signals"
	"gati.dev/gati/pkg/target"
)

// story is one reconciliation: what was seen, what was decided, what came of it.
type story struct {
	decide.Story
	// taken tells that an older handler's route has the traffic of this one's.
	taken *report.TakenError

	// readings are what was last measured, by workload; measuredBy is what measures,
	// empty where nothing does. queries tells that users' own may be asked.
	readings   map[string]signals.Reading
	measuredBy string
	queries    bool

	outcome target.Outcome
	// unpinned are the versions that no header leads to.
	unpinned []string
}

// observe reads all that the decisions rest on.
func (r *Reconciler) observe(ctx context.Context, h *v1.GatiHandler) (*story, error) {
	s := &story{Story: decide.Story{Handler: h}}
	var err error
	if s.Facts, err = r.Facts.For(ctx, h.Namespace); err != nil {
		return nil, err
	}
	s.Result, s.Resolved = r.Admit.Handler(h, nil, s.Facts)
	if s.Revisions, err = observe.Revisions(ctx, r.Client, h, v1.LabelHandler); err != nil {
		return nil, err
	}
	if s.Workloads, err = observe.Workloads(ctx, r.Client, h); err != nil {
		return nil, err
	}
	if s.Records, err = r.electRecords(ctx, h); err != nil {
		return nil, err
	}
	if s.taken, err = r.taken(ctx, h); err != nil || !s.Facts.HTTPRouteServed {
		return s, err
	}
	s.Route, err = observe.ReadRoute(ctx, r.Client, h.Namespace, h.Name, s.frontWorkload())
	return s, err
}

// frontWorkload is the workload that the front Service selects, as it was decided
// last.
func (s *story) frontWorkload() string {
	if ro := s.Handler.Status.Rollout; ro != nil && ro.Stable != nil {
		return ro.Stable.Workload
	}
	return v1.WorkloadMain
}
