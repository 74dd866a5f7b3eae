package handler

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/controller/report"
	"gati.dev/gati/pkg/expand"
	"gati.dev/gati/pkg/target"
)

// createBeforePods creates, of a new handler, the revision and what its pods read side by side:
// neither needs the other, and in a crowd each waits for its answer. What fails here is done
// again one after the other, by those who say so in the status.
func (r *Reconciler) createBeforePods(ctx context.Context, s *story, whole target.Plan) error {
	// Where the status says something, the decision is written before the first create.
	if !s.startsWith(whole) || !s.isBlank || !s.IsCut {
		return nil
	}
	read := r.partOf(whole, isReadByPods)
	if len(read.Objects) == 0 {
		return nil
	}
	object, err := expand.HandlerRevisionObject(s.Handler, s.Running)
	if err != nil {
		return err
	}
	kept := make(chan error, 1)
	go func() { kept <- s.writer.Create(ctx, object, client.FieldOwner(v1.FieldManager)) }()
	outcome, err := s.target.Apply(ctx, s.Handler, read)
	s.isKept = <-kept == nil
	s.isReadCreated = err == nil && outcome.Again == 0 && !report.HasProblem(outcome.Children)
	s.hasReadFailed = !s.isReadCreated
	return err
}

// startPods writes of a new handler only what its pods need to run, and reports whether that
// was all that is to be done now: its other children follow in the next turn, behind the
// Deployments of other new handlers. Where something fails, the whole plan is applied as
// always, and the status says what failed.
func (r *Reconciler) startPods(ctx context.Context, s *story, whole target.Plan) (started bool, err error) {
	if !s.startsWith(whole) {
		return false, nil
	}
	first := r.partOf(whole, func(obj client.Object) bool {
		return runsPods(obj) && (!s.isReadCreated || !isReadByPods(obj))
	})
	if len(first.Objects) == 0 || len(first.Objects) == len(whole.Objects) {
		return false, nil
	}
	outcome, err := s.target.Apply(ctx, s.Handler, first)
	if err != nil || outcome.Again > 0 || report.HasProblem(outcome.Children) {
		return false, err
	}
	r.memory.noteStarted(s.Handler, s.decideFirst())
	return true, nil
}

// startsWith reports whether the pods of a plan come before its other children: it is that of
// a new handler, and nothing keeps any of it back.
func (s *story) startsWith(whole target.Plan) bool {
	return s.isFirst && s.target.Finalizer() == "" && len(whole.Held) == 0 && !s.hasReadFailed
}

// partOf returns a plan that writes only some of the objects. One of the others that is there,
// of a status that was lost, stays.
func (r *Reconciler) partOf(whole target.Plan, isPart func(client.Object) bool) target.Plan {
	part := whole
	part.Objects = nil
	for _, obj := range whole.Objects {
		if isPart(obj) {
			part.Objects = append(part.Objects, obj)
			continue
		}
		part.Held = append(part.Held, target.Child{Kind: target.KindOf(obj, r.Client.Scheme()), Name: obj.GetName()})
	}
	return part
}

// recordsCanWait reports whether a new handler has all its children, after others had their
// turn before it. There is a crowd then, and what callers reach comes before the records of
// versions: they follow with the status, in the next turn.
func (r *Reconciler) recordsCanWait(s *story) bool {
	return r.memory.recall(s.Handler).isStarted && s.isFirstUnwritten() && s.isLate(r.Clock.Now()) &&
		s.outcome.Again == 0 && !report.HasProblem(s.outcome.Children)
}

// runsPods reports whether pods do not run without an object, or not in the right number.
func runsPods(obj client.Object) bool {
	switch obj.(type) {
	case *appsv1.Deployment, *autoscalingv2.HorizontalPodAutoscaler:
		return true
	default:
		return isReadByPods(obj)
	}
}

// isReadByPods reports whether pods wait for an object before their containers run.
func isReadByPods(obj client.Object) bool {
	_, ok := obj.(*corev1.ConfigMap)
	return ok
}
