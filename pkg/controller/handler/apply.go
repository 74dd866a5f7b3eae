package handler

import (
	"context"
	"errors"
	"slices"

	appsv1 "k8s.io/api/apps/v1"

	"gati.dev/gati/pkg/controller/finalize"
	"gati.dev/gati/pkg/controller/report"
	"gati.dev/gati/pkg/controller/revision"
	"gati.dev/gati/pkg/decide"
	"gati.dev/gati/pkg/expand"
	"gati.dev/gati/pkg/target"
)

// outcome is the result of a plan: before the apply the expected one, afterwards the actual
// one.
type outcome struct {
	target.Outcome
	// records are the names of the records, by version; nil while they are not known.
	records map[string]string
	// stamp is that of a plan that was applied as a whole, nil for another one.
	stamp *decide.Stamp
}

// application applies one plan.
type application struct {
	*Reconciler
	s      *story
	writer target.Writer
	// failed are the writes beside the plan that failed, errs why.
	failed []target.Child
	errs   []error
}

// apply writes the revision, the children and the records of the plan. A failure of one
// does not stop the others, and each is a child with a problem.
func (r *Reconciler) apply(ctx context.Context, s *story, todo work, fence *target.Fence) (out outcome, err error) {
	if todo.to == nil {
		return out, nil
	}
	if err := r.newFinalizer().Hold(ctx, s.Handler, todo.to); err != nil {
		return out, err
	}
	a := application{Reconciler: r, s: s, writer: fence.Guard(r.Client)}
	todo.plan.Fence = fence
	a.keepSchema(ctx, todo.schema)
	a.keepRevision(ctx, todo.revision, &todo.plan)
	a.restoreLost(ctx, &todo.plan)
	out.Outcome, err = todo.to.Apply(ctx, s.Handler, todo.plan)
	s.noteTaken(out.Children)
	if err != nil {
		return out, errors.Join(append(a.errs, err)...)
	}
	isWhole := !out.IsPartial && len(a.errs) == 0 && !hasHeldDeployment(todo.plan)
	if isWhole && len(s.Errors) == 0 { // A spec with faults has no plan of its own.
		stamp, err := decide.StampHandler(&s.Story)
		if err != nil {
			return out, err
		}
		out.stamp = &stamp
	}
	a.applyRest(ctx, todo, &out)
	out.Children = append(out.Children, a.failed...)
	return out, errors.Join(a.errs...)
}

// applyRest writes the objects of the last stage. A new record waits for its turn like
// missing objects of the plan.
func (a *application) applyRest(ctx context.Context, todo work, out *outcome) {
	hasCreated := slices.ContainsFunc(out.Writes, func(w target.Write) bool { return w.Action == target.Created })
	isLater := hasCreated && len(todo.records.create) > 0 && len(a.errs) == 0 && out.Again == 0 && !report.HasProblem(out.Children)
	if out.IsPartial = out.IsPartial || isLater; out.IsPartial {
		return
	}
	a.keepChecks(ctx, todo.checks)
	out.records = a.keepRecords(ctx, todo.records)
	a.noteResult(revision.Kind, "", revision.Remove(ctx, a.writer, todo.old))
}

// noteResult notes the error of a write beside the children of the plan, and a child with that
// problem.
func (a *application) noteResult(kind, name string, err error) {
	if err != nil {
		a.errs = append(a.errs, err)
		a.failed = append(a.failed, target.Child{Kind: kind, Name: name, Problem: target.NewFailedError(kind, name, err)})
	}
}

// keepRevision writes a revision that was cut. Where it cannot be kept, the Deployments
// that would run it are held: no pod must run what no revision holds.
func (a *application) keepRevision(ctx context.Context, cut *appsv1.ControllerRevision, plan *target.Plan) {
	if cut == nil {
		return
	}
	problem, err := revision.Keep(ctx, a.writer, a.Live, a.s.Handler, cut)
	if problem == nil && err == nil {
		return
	}
	revision.HoldDeployments(plan, cut.Name)
	if problem != nil {
		a.failed = append(a.failed, target.Child{Kind: revision.Kind, Name: cut.Name, Problem: problem})
	}
	a.noteResult(revision.Kind, cut.Name, err)
}

// restoreLost looks for the templates of the workloads that are held for want of one. A
// revision that has only lost its labels gets them back, and is read next time.
func (a *application) restoreLost(ctx context.Context, plan *target.Plan) {
	for _, lost := range a.s.Lost {
		problem, err := revision.Restore(ctx, a.writer, a.Live, a.s.Handler, lost.Revision, func(kept expand.Revision) (*appsv1.ControllerRevision, error) {
			return expand.HandlerRevisionObject(a.s.Handler, kept)
		})
		for i := range plan.Held {
			if c := &plan.Held[i]; problem != nil && c.Kind == deploymentKind && c.Name == lost.Deployment {
				c.Problem = problem
			}
		}
		a.noteResult(revision.Kind, lost.Revision, err)
	}
}

func hasHeldDeployment(plan target.Plan) bool {
	return slices.ContainsFunc(plan.Held, func(c target.Child) bool { return c.Kind == deploymentKind })
}

func (r *Reconciler) newFinalizer() finalize.Finalizer {
	return finalize.Finalizer{Client: r.Client, Targets: r.Targets, Events: r.Events, Clock: r.Clock}
}
