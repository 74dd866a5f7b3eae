package handler

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/controller/finalize"
	"gati.dev/gati/pkg/controller/report"
	"gati.dev/gati/pkg/controller/revision"
	"gati.dev/gati/pkg/expand"
	"gati.dev/gati/pkg/target"
)

// deferDecision has the decision written before the first act that follows from it, so that
// the next reconciler after a crash carries on from it. Where nothing follows, it is written
// with the report: one write says what was decided and what came of it.
func (r *Reconciler) deferDecision(s *story) {
	isRest := r.memory.recall(s.Handler).isStarted
	if isRest && r.memory.isOwnLast(s.Handler) {
		s.fence.TrustOwn()
	}
	s.followsDecision = isRest || !equality.Semantic.DeepEqual(s.Handler.Status.Versions, s.Decision.Versions)
	// A status that was lost is not that of a new handler: its route is more urgent.
	s.isFirst = s.Handler.Status.IsUndecided() && len(s.Workloads) == 0 && !s.Route.Exists
	if s.createFirst() {
		s.fence.CreateFirst()
	}
	s.fence.PersistFirst(func(ctx context.Context) (bool, error) { return r.persist(ctx, s) })
}

// persist writes the decision, and reports whether there was something to write that cannot
// wait for the report.
func (r *Reconciler) persist(ctx context.Context, s *story) (written bool, err error) {
	st := &s.Handler.Status
	before := s.Handler.DeepCopy()
	s.takeDecision(st)
	if s.first == nil && len(s.Decision.Events) == 0 && canWait(&before.Status, st) {
		*st = before.Status
		return false, nil
	}
	st.Route = s.claims
	r.announce(s)
	base := before.DeepCopy()
	s.forgetUnwritten(base)
	if err := r.patchStatus(ctx, s.Handler, base); err != nil {
		*st = before.Status
		return false, err
	}
	s.followsDecision, s.isPersisted = true, true
	r.tellDecision(s, base.Status.Conditions)
	return true, nil
}

// takeDecision writes a decision into a status.
func (s *story) takeDecision(st *v1.GatiHandlerStatus) {
	st.Versions, st.Rollout = s.Decision.Versions, s.Decision.Rollout
	if len(s.Ports) > 0 {
		st.Ports = s.Ports
	}
}

// tellDecision tells of a decision that was just written, once, and of how it has turned the
// conditions.
func (r *Reconciler) tellDecision(s *story, before []metav1.Condition) {
	if !s.isTold {
		report.Decided(r.Events, s.Handler, s.eventsToTell())
	}
	s.isTold = true
	report.Turned(r.Events, s.Handler, before, s.Handler.Status.Conditions)
}

// chooseTarget finds the target of the plan, and has the handler hold its finalizer.
func (r *Reconciler) chooseTarget(ctx context.Context, s *story) error {
	name, err := s.Facts.TargetFor(s.Handler)
	if err != nil {
		return err
	}
	if s.target, err = r.Targets.For(s.Handler, name); err != nil {
		return err
	}
	return r.finalizer().Hold(ctx, s.Handler, s.target)
}

// untold returns the writes that an Event is to tell of. A route that follows another plan, as
// when gateways have come to know the pods of a version, follows from the spec or from a
// decision, and is none. One that is put back is.
func untold(out target.Outcome) []string {
	return slices.DeleteFunc(slices.Clone(out.Writes), func(w string) bool {
		return strings.Contains(w, routeKind) && slices.Contains(out.Replanned, w)
	})
}

func (r *Reconciler) finalizer() finalize.Finalizer {
	return finalize.Finalizer{Client: r.Client, Targets: r.Targets, Events: r.Events, Clock: r.Clock}
}

// act makes the plan real: the revision, the children, the records. A fault of one keeps
// no other from being written, and each is a child with a problem.
func (r *Reconciler) act(ctx context.Context, s *story) error {
	plan := target.Plan{Objects: s.Children, Fence: s.fence}
	for _, w := range s.Workloads {
		plan.RestOn(w.Deployment)
	}
	s.plan = &plan
	if s.Route.Exists {
		plan.Objects = expand.OrderByUrgency(s.Children)
	}
	s.holdRoute(&plan)
	report.HoldScaledObjects(&plan, s.Facts)
	if err := r.createBeforePods(ctx, s, plan); err != nil {
		return err
	}
	failed := errors.Join(r.keepSchema(ctx, s), r.keepRevision(ctx, s, &plan), r.holdLost(ctx, s, &plan))
	if failed == nil {
		var err error
		if s.isTurnOver, err = r.startPods(ctx, s, plan); err != nil || s.isTurnOver {
			return err
		}
	}
	outcome, err := s.target.Apply(ctx, s.Handler, plan)
	s.outcome = outcome
	s.noteTaken()
	if err != nil {
		return errors.Join(failed, err)
	}
	report.Notices(r.Events, s.Handler, s.outcome.Notices)
	if !s.followsDecision {
		report.Writes(r.Events, s.Handler, untold(s.outcome))
	}
	if failed == nil && !hasHeldDeployment(plan) {
		if s.applied, err = s.stampOnce(); err != nil {
			return err
		}
	}
	if failed == nil && r.recordsCanWait(s) {
		s.isTurnOver = true
		r.memory.noteCompleted(s.Handler, r.Clock.Now())
		return nil
	}
	failed = errors.Join(failed, r.keepChecks(ctx, s), r.keepRecords(ctx, s), r.prune(ctx, s))
	s.outcome.Children = append(s.outcome.Children, s.failed...)
	if failed == nil {
		r.memory.noteCompleted(s.Handler, r.Clock.Now())
	}
	return failed
}

// noteFailure returns the error of a write beside the children of the plan, and notes it
// as a child with a problem.
func (s *story) noteFailure(kind, name string, err error) error {
	if err != nil {
		s.failed = append(s.failed, target.Child{Kind: kind, Name: name, Problem: target.NewFailedError(kind, name, err)})
	}
	return err
}

// prune deletes revisions beyond spec.versions.historyLimit. Those that a live
// version runs do not count, and while pods roll none goes: they may still need
// the one before.
func (r *Reconciler) prune(ctx context.Context, s *story) error {
	if len(s.outcome.Writes) > 0 || s.outcome.Again > 0 || s.Decision.Rollout.Phase != v1.RolloutStable {
		return nil
	}
	inUse := map[string]bool{s.Running.Name: true}
	for _, w := range s.Decision.Workloads {
		inUse[w.Unit.Revision] = true
	}
	for _, old := range expand.SuperfluousRevisions(s.Revisions, inUse, int(*s.Resolved.Spec.Versions.HistoryLimit)) {
		object, err := expand.HandlerRevisionObject(s.Handler, old)
		if err != nil {
			return err
		}
		if err := s.writer.Delete(ctx, object); client.IgnoreNotFound(err) != nil {
			return s.noteFailure(revision.Kind, object.Name, fmt.Errorf("delete revision %s: %w", object.Name, err))
		}
	}
	return nil
}
