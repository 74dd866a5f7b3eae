package handler

import (
	"context"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/controller/report"
	"gati.dev/gati/pkg/decide"
	"gati.dev/gati/pkg/observe"
	"gati.dev/gati/pkg/signals"
	"gati.dev/gati/pkg/target"
	"gati.dev/gati/pkg/tracing"
)

// story is one reconciliation: what is known, what was planned, what came of it.
type story struct {
	decide.Story
	decide.Planned
	// work records what is done; nil where nothing is traced.
	work *tracing.Work
	// claims are those that parents accept of the route. taken is set where another
	// handler of the namespace had one of the spec's first; contested is one that the
	// gateway accepts in another namespace, too.
	claims    *v1.RouteStatus
	taken     *report.TakenError
	contested string
	// missing are the modules that the spec names and that do not exist.
	missing []string
	// readings are what was last measured, by workload. canQuery reports whether users
	// may ask queries of their own.
	readings map[string]signals.Reading
	canQuery bool

	// fence keeps an outdated decision from being acted on; writer checks it before the
	// first write.
	fence  *target.Fence
	writer client.Client

	// target is where the children go.
	target target.Target
	// followsDecision is set where the Events and the status tell of a decision that leads
	// to what is written now: an Event of each write would repeat it.
	followsDecision bool
	// isFirst is set where nothing was decided about the handler before. isTurnOver is set once
	// a new handler has what this turn was for; the rest follows in the next.
	isFirst, isTurnOver bool
	// isKept is set once the revision that was cut is written. isReadCreated is set once all that
	// the pods of a new handler read is, and hasReadFailed where some of it could not be.
	isKept, isReadCreated, hasReadFailed bool
	// isBlank is set where the stored status says nothing. first is what was decided before
	// and is not in it; nil for none. isPersisted is set once the decision is.
	isBlank     bool
	first       *firstDecision
	isPersisted bool
	// isTold is set once Events have told of the decision.
	isTold bool

	// plan is what the target applies.
	plan    *target.Plan
	outcome target.Outcome
	// failed are the writes beside the plan that failed: of revisions and records.
	failed []target.Child
	// stamp is that of the plan, once it is known. applied is the stamp of the plan that was
	// applied; nil where none was. announced is what the status says of it since the decision
	// was written; nil where that waits for the report.
	stamp, applied *decide.Stamp
	announced      *v1.PlanStatus
	// versionsBefore and planBefore are those of the status as it was read.
	versionsBefore []v1.VersionStatus
	planBefore     *v1.PlanStatus
	// unwritten is how long a change of the status waits for others; zero where none
	// does.
	unwritten time.Duration
	// unseen is for how long the cache may not show a record that was just created; zero
	// where none was.
	unseen time.Duration
}

// observe reads all that the plan rests on.
func (r *Reconciler) observe(ctx context.Context, h *v1.GatiHandler) (*story, error) {
	f, err := r.Facts.For(ctx, h.Namespace)
	if err != nil {
		return nil, err
	}
	s := &story{versionsBefore: h.Status.Versions, planBefore: h.Status.Plan, fence: target.NewFence(r.Live, h)}
	s.writer = s.fence.Guard(r.Client)
	s.first, s.isBlank = r.memory.recall(h).first, isBlank(h)
	if s.Story, err = (observe.Stories{Reader: r.Client, HasIndex: true, Admit: r.Admit}).Handler(ctx, h, f); err != nil {
		return nil, err
	}
	if s.CheckJobs, err = observe.CheckJobs(ctx, r.Client, r.Live, h); err != nil {
		return nil, err
	}
	if s.missing, err = observe.MissingModules(ctx, r.Client, h); err != nil {
		return nil, err
	}
	return s, r.compareClaims(ctx, s)
}
