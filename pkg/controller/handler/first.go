package handler

import (
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/rollout"
)

// firstDecision is what was decided about a new handler. It follows from its spec alone, and
// nothing of the handler was there before. So its children are created before it is written:
// often the pods are ready by then, and one write says all. A process that begins in between
// finds what was created and carries on from that.
type firstDecision struct {
	status v1.GatiHandlerStatus
	events []rollout.Event
}

// takeFirst gives a handler the status that was decided for it and is not written yet. While
// other children than its pods are to come, the start counts from now.
func (r *Reconciler) takeFirst(h *v1.GatiHandler) {
	known := r.memory.recall(h)
	if known.first == nil || !isBlank(h) {
		return
	}
	first := known.first
	if known.isStarted {
		first = first.restarted(r.Clock.Now())
	}
	h.Status = *first.status.DeepCopy()
}

// restarted returns the decision with a start at another time. The deadline of the first pods
// counts from there: nothing reaches them before their Services exist, which may wait for
// their turn in a crowd.
func (f *firstDecision) restarted(at time.Time) *firstDecision {
	if f == nil || f.status.Rollout == nil {
		return f
	}
	out := *f
	out.status = *f.status.DeepCopy()
	start := metav1.NewTime(at.Add(time.Second - 1).Truncate(time.Second)) // As it is stored, and never early.
	out.status.Rollout.StartedAt = &start
	return &out
}

// isBlank reports whether the status of a handler says nothing at all.
func isBlank(h *v1.GatiHandler) bool {
	return equality.Semantic.DeepEqual(h.Status, v1.GatiHandlerStatus{})
}

// createFirst reports whether the children of a handler may be created before the decision
// that they follow from is written: it is the first one.
func (s *story) createFirst() bool {
	if s.isFirst {
		return s.isBlank
	}
	return s.first != nil && slices.EqualFunc(s.first.status.Versions, s.Decision.Versions, haveSameChildren)
}

// haveSameChildren reports whether the same children follow from two states of a version. What
// is known of its pods and its traffic may differ.
func haveSameChildren(a, b v1.VersionStatus) bool {
	return a.Version == b.Version && a.Sequence == b.Sequence && a.Revision == b.Revision &&
		a.Workload == b.Workload && a.Phase == b.Phase && a.Weight == b.Weight && a.Replicas == b.Replicas
}

// isFirstUnwritten reports whether an earlier turn has decided about a new handler and nothing
// is written of it yet.
func (s *story) isFirstUnwritten() bool { return s.first != nil && !s.isPersisted }

// forgetUnwritten takes from a handler, as it was before a change, the status that is not
// written yet.
func (s *story) forgetUnwritten(before *v1.GatiHandler) {
	if s.isFirstUnwritten() {
		before.Status = v1.GatiHandlerStatus{}
	}
}

// decideFirst returns what was decided about a new handler; nil where that was written.
func (s *story) decideFirst() *firstDecision {
	if s.isPersisted {
		return nil
	}
	s.takeDecision(&s.Handler.Status)
	s.Handler.Status.Route = s.claims
	return &firstDecision{status: s.Handler.Status, events: s.Decision.Events}
}

// isAboutToServe reports whether the pods that count are ready, so that the first write of a
// status can soon say that the handler is.
func (s *story) isAboutToServe() bool {
	of := s.progress()
	return of.Wanted > 0 && of.Ready >= of.Wanted
}

// isLate reports whether a new handler has waited for its turn, in a crowd, for longer than a
// status may wait: it may as well wait for its pods.
func (s *story) isLate(now time.Time) bool {
	return now.Sub(s.Handler.CreationTimestamp.Time) > patience
}

// eventsToTell returns those of the decision that no Event has told of.
func (s *story) eventsToTell() []rollout.Event {
	if s.first == nil {
		return s.Decision.Events
	}
	return slices.Concat(s.first.events, s.Decision.Events)
}
