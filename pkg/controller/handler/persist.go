package handler

import (
	"context"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/api/equality"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/controller/report"
	"gati.dev/gati/pkg/target"
)

// persist writes the decision before the first act that follows from it, so that the next
// reconciler after a crash carries on from it. Where nothing is to be done, the report writes
// decision and findings at once. It returns the fence through which the acts go.
func (r *Reconciler) persist(ctx context.Context, s *story, todo work) (*target.Fence, error) {
	fence := target.NewFence(r.Live, s.Handler)
	if todo.isEmpty() {
		return fence, nil
	}
	next := r.composeStatus(s, todo.expected)
	if slices.ContainsFunc(s.stored.Children, func(c v1.ChildStatus) bool { return c.Message != "" }) {
		// Whether the trouble is over shows after the writes.
		next = s.Handler.Status.DeepCopy()
		next.Route = s.claims
		s.fillDecision(next, todo.expected)
		report.CleanTexts(next)
	}
	if equality.Semantic.DeepEqual(materialPart(&s.Handler.Status), materialPart(next)) {
		return fence, nil
	}
	if err := r.writeStatus(ctx, s, next); err != nil {
		return nil, &target.StaleError{Err: fmt.Errorf("persist the decision about %s before it is acted on: %w", s.Handler.Name, err)}
	}
	fence.MarkCurrent()
	return fence, nil
}

// writeStatus writes a status if the handler is still the one that was read, and tells once of
// the decision in it, and of how it has turned the conditions.
func (r *Reconciler) writeStatus(ctx context.Context, s *story, next *v1.GatiHandlerStatus) error {
	h := s.Handler
	before := h.DeepCopy()
	h.Status = *next
	patch := client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})
	if err := r.Client.Status().Patch(ctx, h, patch, client.FieldOwner(v1.FieldManager)); err != nil {
		h.Status = before.Status
		return err
	}
	r.memory.noteStatus(h, r.Clock.Now())
	r.noteDecision(s)
	report.Decided(r.Events, h, s.Decision.Events)
	s.Decision.Events = nil
	report.Turned(r.Events, h, before.Status.Conditions, h.Status.Conditions)
	s.traceReady(before.Status.Conditions, r.Clock.Now())
	return nil
}
