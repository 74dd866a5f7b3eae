package handler

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"gati.dev/gati/pkg/controller/report"
	"gati.dev/gati/pkg/target"
)

// startPods writes of a new handler only what its pods need to run, and reports whether that
// was all that is to be done now: its other children follow in the next turn, behind the
// Deployments of other new handlers. Where something fails, the whole plan is applied as
// always, and the status says what failed.
func (r *Reconciler) startPods(ctx context.Context, s *story, whole target.Plan) (started bool, err error) {
	if !s.isFirst || s.target.Finalizer() != "" || len(whole.Held) > 0 {
		return false, nil
	}
	first := whole
	first.Objects = nil
	for _, obj := range whole.Objects {
		if runsPods(obj) {
			first.Objects = append(first.Objects, obj)
			continue
		}
		// One that is there, of a status that was lost, stays.
		first.Held = append(first.Held, target.Child{Kind: target.KindOf(obj, r.Client.Scheme()), Name: obj.GetName()})
	}
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
	case *appsv1.Deployment, *corev1.ConfigMap, *autoscalingv2.HorizontalPodAutoscaler:
		return true
	default:
		return false
	}
}
