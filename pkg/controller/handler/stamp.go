package handler

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/decide"
)

// reasonPlanChanged is the reason of the Event.
const reasonPlanChanged = "PlanChanged"

// planStatus returns which plan was admitted and which was applied, and the fact that changed
// in between; empty where the plans are equal, or differ only because another release expands
// them.
func (s *story) planStatus(applied *decide.Stamp) (is *v1.PlanStatus, changed string) {
	if applied == nil {
		return s.stored.Plan, ""
	}
	admitted, was := decide.StampOf(s.Handler), s.stored.Plan
	is = &v1.PlanStatus{Admitted: admitted.Plan, Applied: applied.Plan, Trace: s.work.TraceID()}
	if admitted.Plan == "" || admitted.Plan == applied.Plan || was != nil && *was == *is {
		return is, ""
	}
	return is, s.changedFact(admitted)
}

// changedFact finds out why another plan was applied than the one admitted. The name of
// a revision ends with the hash of the inputs, so equal names mean equal inputs.
func (s *story) changedFact(admitted decide.Stamp) string {
	switch hadRun := func(v v1.VersionStatus) bool { return v.Revision == s.Running.Name }; {
	case admitted.Revision() != s.Running.Name && s.Handler.Spec.Image == "":
		return fmt.Sprintf("the image of namespace %s is now %s (annotation %s)", s.Handler.Namespace, s.Running.Image, v1.AnnotationImage)
	case admitted.Revision() != s.Running.Name:
		return "the spec was stored without gati-webhook's stamp"
	case s.IsCut && slices.ContainsFunc(s.stored.Versions, hadRun):
		return fmt.Sprintf("the ControllerRevision %s is gone, and its template was resolved anew", s.Running.Name)
	default:
		return ""
	}
}

// reportPlan reports a changed fact in an Event.
func (r *Reconciler) reportPlan(h *v1.GatiHandler, changed string) {
	if changed != "" {
		r.Events.Eventf(h, nil, corev1.EventTypeNormal, reasonPlanChanged, "Reconcile",
			"Applied plan %s, admitted was %s: %s", h.Status.Plan.Applied, h.Status.Plan.Admitted, changed)
	}
}
