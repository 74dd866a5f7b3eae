package handler

import (
	"context"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/controller/report"
	"gati.dev/gati/pkg/diagnose"
	"gati.dev/gati/pkg/target"
)

const (
	// retryProblem is how soon a problem that only others can solve, and that no watch
	// reports, is looked at again.
	retryProblem = 30 * time.Second
	// nextStage is how soon the next stage of a plan is written, behind the handlers that
	// wait already.
	nextStage = time.Millisecond
)

// report writes observations and outcome to the status and Events, and returns when to
// reconcile again. A change that is not material waits for others, for patience at most.
func (r *Reconciler) report(ctx context.Context, s *story, done outcome) (ctrl.Result, error) {
	h := s.Handler
	report.Notices(r.Events, h, done.Notices)
	if s.hasRepaired(done) {
		report.Writes(r.Events, h, target.Describe(toReport(done.Writes)))
	}
	if generation := routeGeneration(done.Children); generation > 0 {
		r.memory.noteRoute(h, generation)
	}
	if s.IsDecided() {
		r.requestReadings(s)
	}
	next := r.composeStatus(s, done)
	if equality.Semantic.DeepEqual(&h.Status, next) {
		r.memory.noteWhole(h)
		return ctrl.Result{RequeueAfter: s.lookAgain(done, 0)}, nil
	}
	if left := r.patienceLeft(h, next); left > 0 {
		return ctrl.Result{RequeueAfter: s.lookAgain(done, left)}, nil
	}
	if err := r.writeStatus(ctx, s, next); err != nil {
		return ctrl.Result{}, err
	}
	_, changed := s.planStatus(done.stamp)
	r.reportPlan(h, changed)
	return ctrl.Result{RequeueAfter: s.lookAgain(done, 0)}, nil
}

// patienceLeft returns for how long a changed status may wait for other changes. It counts from
// when a change was first put off.
func (r *Reconciler) patienceLeft(h *v1.GatiHandler, next *v1.GatiHandlerStatus) time.Duration {
	if !equality.Semantic.DeepEqual(materialPart(&h.Status), materialPart(next)) {
		return 0
	}
	now := r.Clock.Now()
	return max(0, patience-now.Sub(r.memory.notePutOff(h, now)))
}

// hasRepaired reports whether writes repaired drift. Writes that follow from a decision or
// another plan are reported with the decision.
func (s *story) hasRepaired(done outcome) bool {
	return done.stamp != nil && s.stored.Plan != nil && s.stored.Plan.Applied == done.stamp.Plan &&
		equality.Semantic.DeepEqual(s.stored.Versions, s.Decision.Versions)
}

// toReport returns the writes that no decision has announced, which repair changes by
// others; not those of a route that follows another plan, as when gateways have come to
// know the pods of a version.
func toReport(writes []target.Write) []target.Write {
	return slices.DeleteFunc(slices.Clone(writes), func(w target.Write) bool { return w.Kind == routeKind && w.IsReplanned })
}

// routeGeneration returns the generation of the route among children; zero for none.
func routeGeneration(children []target.Child) int64 {
	if at := slices.IndexFunc(children, func(c target.Child) bool { return c.Kind == routeKind }); at >= 0 {
		return children[at].Generation
	}
	return 0
}

// lookAgain returns how long until the handler is reconciled although no watch reports
// anything; zero for never. What was to come when it was decided has not been seen, though it
// may have come by now. left is for how long a change of the status waits.
func (s *story) lookAgain(done outcome, left time.Duration) time.Duration {
	if !s.IsDecided() {
		return left
	}
	if done.IsPartial {
		return nextStage
	}
	looks := []time.Duration{s.Decision.After, done.Again, left}
	for _, w := range s.Workloads {
		if _, left := w.Settling(s.now); !s.IsAlone() {
			looks = append(looks, left)
		}
		looks = append(looks, diagnose.LookAgain(w.Pods, s.now))
	}
	if report.HasProblem(done.Children) {
		looks = append(looks, retryProblem)
	}
	first := time.Duration(0)
	for _, after := range looks {
		if after > 0 && (first == 0 || after < first) {
			first = after
		}
	}
	return first
}

// traceReady records how long the pods took, when the handler has become ready. now is the
// end, for the times of a status are whole seconds: pods that took less would have taken
// none. A handler whose first status is Ready took since it was created.
func (s *story) traceReady(before []metav1.Condition, now time.Time) {
	if !meta.IsStatusConditionTrue(s.Handler.Status.Conditions, v1.ConditionReady) {
		return
	}
	since := s.Handler.CreationTimestamp
	if was := meta.FindStatusCondition(before, v1.ConditionReady); was != nil {
		if was.Status != metav1.ConditionFalse {
			return
		}
		since = was.LastTransitionTime
	}
	s.work.Ready(since.Time, now, s.Handler.Status.Ready)
}
