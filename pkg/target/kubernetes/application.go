package kubernetes

import (
	"context"
	"errors"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"gati.dev/gati/pkg/target"
)

// application is one comparison of a plan with the cluster, or one attempt to apply it.
type application struct {
	*Target
	// writer checks the fence of the plan.
	writer target.Writer
	owner  client.Object
	plan   target.Plan
	out    target.Outcome
	// createdIn is the stage of the first object that was created; nil while none was.
	createdIn *int
	// hasFailed is set once an object could not be applied.
	hasFailed bool
}

func (t *Target) beginApplication(owner client.Object, plan target.Plan) *application {
	return &application{Target: t, writer: plan.Fence.Guard(t.writer), owner: owner, plan: plan}
}

// waitsForStage reports whether an object is left for the next call: it is missing, and
// something of an earlier stage was created in this one. Nothing waits for an object that
// fails.
func (a *application) waitsForStage(ctx context.Context, obj client.Object) (bool, error) {
	if a.createdIn == nil || a.hasFailed || a.plan.Stage(obj) == *a.createdIn {
		return false, nil
	}
	live, err := a.getLive(ctx, a.reader, obj)
	return live == nil, err
}

// noteStage notes the result of an object for those of later stages.
func (a *application) noteStage(obj client.Object, child target.Child) {
	a.hasFailed = a.hasFailed || child.Problem != nil || child.HasRaced
	if a.plan.Stage == nil || a.createdIn != nil || !a.hasCreated(child) {
		return
	}
	stage := a.plan.Stage(obj)
	a.createdIn = &stage
}

func (a *application) hasCreated(child target.Child) bool {
	if len(a.out.Writes) == 0 {
		return false
	}
	last := a.out.Writes[len(a.out.Writes)-1]
	return last == target.Write{Action: target.Created, Kind: child.Kind, Name: child.Name}
}

// attemptChange changes one child unless that failed a moment ago, and notes the result. It
// returns only an error that concerns every child.
func (a *application) attemptChange(ctx context.Context, child *target.Child, hash func() string, change func() (target.Write, error)) error {
	key := childKey{owner: a.owner.GetUID(), kind: child.Kind, name: child.Name}
	hasFailed := a.failures.isKnown(key)
	if hasFailed {
		if wait, problem := a.failures.findFailure(key, hash()); problem != nil {
			a.noteProblem(child, wait, problem)
			return nil
		}
	}
	done, err := change()
	done.Kind, done.Name = child.Kind, child.Name
	var stale *target.StaleError
	switch {
	case err == nil && done.Action != "":
		a.out.Writes = append(a.out.Writes, done)
	case err == nil:
	case ctx.Err() != nil || errors.As(err, &stale):
		return err
	case isFinding(err):
		child.Problem = err
	default:
		wait, problem := a.failures.recordFailure(key, hash(), err)
		a.noteProblem(child, wait, problem)
		return nil
	}
	if hasFailed {
		a.failures.forgetFailure(key)
	}
	return nil
}

// noteProblem notes a failure, and when its write may be tried again.
func (a *application) noteProblem(child *target.Child, wait time.Duration, problem error) {
	child.HasRaced, child.IsOutdated = errors.Is(problem, errRace), errors.Is(problem, errUpdateRace)
	if !child.HasRaced {
		child.Problem = problem
	}
	if a.out.Again == 0 || a.out.Again > wait {
		a.out.Again = wait
	}
}
