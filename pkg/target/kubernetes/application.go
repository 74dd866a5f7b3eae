package kubernetes

import (
	"context"
	"errors"
	"fmt"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"gati.dev/gati/pkg/target"
)

// application is one call of Apply: its writer checks the plan's fence.
type application struct {
	Target
	owner client.Object
	out   target.Outcome
}

// attempt changes one child unless that failed a moment ago, and notes the result. It
// returns only an error that concerns every child.
func (a *application) attempt(ctx context.Context, child *target.Child, hash func() string, change func() (string, error)) error {
	key := childKey{owner: a.owner.GetUID(), kind: child.Kind, name: child.Name}
	hasFailed := a.failures.isKnown(key)
	if hasFailed {
		if wait, problem := a.failures.findFailure(key, hash()); problem != nil {
			a.noteProblem(child, wait, problem)
			return nil
		}
	}
	what, err := change()
	var stale *target.StaleError
	switch {
	case err == nil && what == replanned:
		write := fmt.Sprintf("updated %s %s", child.Kind, child.Name)
		a.out.Writes, a.out.Replanned = append(a.out.Writes, write), append(a.out.Replanned, write)
	case err == nil && what != "":
		a.out.Writes = append(a.out.Writes, fmt.Sprintf("%s %s %s", what, child.Kind, child.Name))
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
		a.failures.forget(key)
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
