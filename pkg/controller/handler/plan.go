package handler

import (
	"context"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/decide"
	"gati.dev/gati/pkg/rollout"
)

// plan decides with the operator's bounds on rollouts under way. A rollout that begins
// takes its place before anything is written; where another reconciler was faster, the
// handler is planned again without one.
func (r *Reconciler) plan(ctx context.Context, s *story) (planned decide.Planned, err error) {
	h := s.Handler
	s.Turn = r.Turns.Look(h, s.now)
	planned, err = r.decide(ctx, s)
	if err != nil || r.Turns == nil {
		return planned, err
	}
	after := planned.Decision.Rollout
	switch {
	case !planned.IsDecided() || planned.Decision.Undecided:
		r.Turns.Release(client.ObjectKeyFromObject(h))
	case rollout.HoldsPlace(after) && !planned.IsBounded:
		r.Turns.Occupy(h)
	case rollout.HoldsPlace(after) && !rollout.HoldsPlace(h.Status.Rollout):
		if refused := r.Turns.Take(h, s.now); refused != nil {
			s.Turn = refused
			if planned, err = r.decide(ctx, s); rollout.HoldsPlace(planned.Decision.Rollout) {
				r.Turns.Occupy(h) // Weights that move need no turn.
			}
		}
	case !rollout.HoldsPlace(after) && !isInLine(after):
		r.Turns.Release(client.ObjectKeyFromObject(h))
	}
	return planned, err
}

// maxPlanning bounds the comparison of versions, which takes a second at most once it
// has its turn. Without an answer the handler is tried again.
const maxPlanning = 5 * time.Second

func (r *Reconciler) decide(ctx context.Context, s *story) (decide.Planned, error) {
	ctx, cancel := context.WithTimeout(ctx, maxPlanning)
	defer cancel()
	began := s.work.Now()
	defer func() { s.work.Did("decide", began) }()
	return decide.Plan(&s.Story, r.Judge.Within(ctx), s.now)
}

// isInLine reports whether a rollout waits for others to end.
func isInLine(ro *v1.RolloutStatus) bool {
	return ro != nil && ro.WaitingFor != nil && ro.WaitingFor.Reason == v1.WaitingForTurn
}
