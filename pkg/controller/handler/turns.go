package handler

import (
	"context"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/decide"
	"gati.dev/gati/pkg/rollout"
)

// planInTurn plans with the operator's bounds on rollouts under way. A rollout that begins
// takes its place before anything is written; where another reconciler was faster, the
// handler is planned again without one.
func (r *Reconciler) planInTurn(ctx context.Context, s *story, now time.Time) (decide.Planned, error) {
	h := s.Handler
	s.Turn = r.Turns.Look(h, now)
	planned, err := r.plan(ctx, s, now)
	if err != nil || r.Turns == nil {
		return planned, err
	}
	after := planned.Decision.Rollout
	switch {
	case len(planned.Errors) > 0 || planned.Decision.Undecided:
		r.Turns.Release(client.ObjectKeyFromObject(h))
	case rollout.HoldsPlace(after) && !planned.IsBounded:
		r.Turns.Occupy(h)
	case rollout.HoldsPlace(after) && !rollout.HoldsPlace(h.Status.Rollout):
		if refused := r.Turns.Take(h, now); refused != nil {
			s.Turn = refused
			if planned, err = r.plan(ctx, s, now); rollout.HoldsPlace(planned.Decision.Rollout) {
				r.Turns.Occupy(h) // Weights that move need no turn.
			}
		}
	case !rollout.HoldsPlace(after) && !isInLine(after):
		r.Turns.Release(client.ObjectKeyFromObject(h))
	}
	return planned, err
}

// isInLine reports whether a rollout waits for others to end.
func isInLine(ro *v1.RolloutStatus) bool {
	return ro != nil && ro.WaitingFor != nil && ro.WaitingFor.Reason == v1.WaitingForTurn
}
