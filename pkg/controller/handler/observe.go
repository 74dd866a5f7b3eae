package handler

import (
	"context"
	"time"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/controller/report"
	"gati.dev/gati/pkg/decide"
	"gati.dev/gati/pkg/observe"
	"gati.dev/gati/pkg/signals"
	"gati.dev/gati/pkg/tracing"
)

// story is one reconciliation: its observations, plan and outcome.
type story struct {
	decide.Story
	decide.Planned
	// work records the trace; nil without tracing.
	work *tracing.Work
	// claims are those that parents accept of the route. taken is set where another
	// handler of the namespace had one of the spec's first; contested is one that the
	// gateway accepts in another namespace, too.
	claims    *v1.RouteStatus
	taken     *report.TakenError
	contested string
	// missing are the modules that the spec names and that do not exist.
	missing []string
	// readings are the last measurements, by workload. canQuery reports whether users may
	// ask queries of their own.
	readings map[string]signals.Reading
	canQuery bool

	// now is when it was observed, and stored is the status that was read. isRecorded reports
	// whether the decision is persisted and recorded.
	now        time.Time
	stored     v1.GatiHandlerStatus
	isRecorded bool
}

// observe reads the input of the plan.
func (r *Reconciler) observe(ctx context.Context, h *v1.GatiHandler, work *tracing.Work) (*story, error) {
	f, err := r.Facts.For(ctx, h.Namespace)
	if err != nil {
		return nil, err
	}
	s := &story{work: work, now: r.Clock.Now(), stored: *h.Status.DeepCopy(), canQuery: r.Queries}
	if s.Story, err = (observe.Stories{Reader: r.Client, HasIndex: true, Admit: r.Admit}).Handler(ctx, h, f); err != nil {
		return nil, err
	}
	if err := observe.Exposure(ctx, r.Client, h, s.Workloads, s.now); err != nil {
		return nil, err
	}
	if s.CheckJobs, err = observe.CheckJobs(ctx, r.Client, r.Live, h); err != nil {
		return nil, err
	}
	if s.missing, err = observe.MissingModules(ctx, r.Client, h); err != nil {
		return nil, err
	}
	s.Route.Generation = max(s.Route.Generation, r.memory.recallWrites(h).route)
	s.TransformersDeclared = r.DeclaredTransformers
	s.takeReadings(r.Signals)
	return s, r.compareClaims(ctx, s)
}
