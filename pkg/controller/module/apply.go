package module

import (
	"context"
	"errors"

	appsv1 "k8s.io/api/apps/v1"

	"gati.dev/gati/pkg/controller/report"
	"gati.dev/gati/pkg/controller/revision"
	"gati.dev/gati/pkg/expand"
	"gati.dev/gati/pkg/target"
)

// work is the list of writes that a plan needs.
type work struct {
	// to is the target of the plan; nil where nothing is to be applied.
	to   target.Target
	plan target.Plan
	// writes are those of the plan.
	writes []target.Write
	// revision is the one that was cut, nil for none; old are those beyond the history's limit.
	revision *appsv1.ControllerRevision
	old      []*appsv1.ControllerRevision
}

func (w *work) isEmpty() bool { return len(w.writes) == 0 && w.revision == nil && len(w.old) == 0 }

// inspect returns the writes that the plan needs, without making any. An invalid spec needs
// none.
func (r *Reconciler) inspect(ctx context.Context, s *story) (out work, err error) {
	if len(s.Result.Errors) > 0 {
		return work{}, nil
	}
	name, err := s.facts.TargetFor(s.Module)
	if err != nil {
		return work{}, err
	}
	if out.to, err = r.Targets.For(s.Module, name); err != nil {
		return work{}, err
	}
	out.plan.Objects, out.plan.Stage = expand.InStages(s.Children, false)
	out.plan.RestOn(s.Workload.Deployment)
	report.HoldScaledObjects(&out.plan, s.Facts)
	if s.IsCut {
		if out.revision, err = expand.ModuleRevisionObject(s.Module, s.Running); err != nil {
			return work{}, err
		}
	}
	expected, err := out.to.Inspect(ctx, s.Module, out.plan)
	if out.writes = expected.Writes; err != nil {
		return work{}, err
	}
	if out.isEmpty() && !report.HasProblem(expected.Children) {
		out.old, err = s.superfluousRevisions()
	}
	return out, err
}

// superfluousRevisions returns those beyond the history limit. While pods roll none goes:
// they may still need the one before.
func (s *story) superfluousRevisions() ([]*appsv1.ControllerRevision, error) {
	if !s.Workload.Progress(s.Running.Name).Complete {
		return nil, nil
	}
	var out []*appsv1.ControllerRevision
	for _, old := range expand.SuperfluousRevisions(s.Revisions, map[string]bool{s.Running.Name: true, s.Declared.Name: true}, historyLimit) {
		object, err := expand.ModuleRevisionObject(s.Module, old)
		if err != nil {
			return nil, err
		}
		out = append(out, object)
	}
	return out, nil
}

// apply writes the revision and the children of the plan. Where the revision cannot be
// kept, the Deployment is held: no pod must run what no revision holds.
func (r *Reconciler) apply(ctx context.Context, s *story, todo work, fence *target.Fence) (done target.Outcome, err error) {
	if todo.to == nil {
		return done, nil
	}
	if err := r.newFinalizer().Hold(ctx, s.Module, todo.to); err != nil {
		return done, err
	}
	w := fence.Guard(r.Client)
	todo.plan.Fence = fence
	failed := r.keepRevision(ctx, w, s, &todo)
	if done, err = todo.to.Apply(ctx, s.Module, todo.plan); err != nil {
		return done, errors.Join(failed, err)
	}
	return done, errors.Join(failed, revision.Remove(ctx, w, todo.old))
}

// keepRevision writes a revision that was cut.
func (r *Reconciler) keepRevision(ctx context.Context, w target.Writer, s *story, todo *work) error {
	if todo.revision == nil {
		return nil
	}
	problem, err := revision.Keep(ctx, w, r.Live, s.Module, todo.revision)
	if problem == nil && err == nil {
		return nil
	}
	revision.HoldDeployments(&todo.plan, todo.revision.Name)
	if problem == nil {
		problem = target.NewFailedError(revision.Kind, todo.revision.Name, err)
	}
	todo.plan.Held = append(todo.plan.Held, target.Child{Kind: revision.Kind, Name: todo.revision.Name, Problem: problem})
	return err
}
