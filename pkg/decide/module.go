package decide

import (
	"slices"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/admit"
	"gati.dev/gati/pkg/defaulting"
	"gati.dev/gati/pkg/diagnose"
	"gati.dev/gati/pkg/expand"
	"gati.dev/gati/pkg/facts"
)

// ModuleStory is all that is known of a module. It has no versions.
type ModuleStory struct {
	Module    *v1.GatiModule
	Facts     facts.Facts
	Result    admit.Result
	Resolved  defaulting.Module
	Revisions []expand.Revision
	Workload  expand.Observed
}

// PlannedModule is the plan of a module.
type PlannedModule struct {
	// Running is the revision that the spec leads to; IsCut is true where it is new.
	Running  expand.Revision
	IsCut    bool
	Children []client.Object
	// Ports are those of the Service.
	Ports []int32
	// Declared is the revision of the spec. It is not Running where it was rejected.
	Declared expand.Revision
	Rejected *v1.RejectedRevision
}

// PlanModule finds the revision to run, and expands it into children. A module with
// errors has no plan.
func PlanModule(s *ModuleStory, now time.Time) PlannedModule {
	if len(s.Result.Errors) > 0 {
		return PlannedModule{}
	}
	out := PlannedModule{}
	out.Declared, out.IsCut = declaredRevision(s)
	out.Running = out.Declared
	if stable, rejected := findRejection(s, out.Declared, now); rejected != nil {
		out.Running, out.Rejected = stable, rejected
	}
	out.Ports = expand.ServedPorts(s.Module.Status.Ports, *s.Resolved.Spec.Port, []expand.Revision{out.Running}, s.Revisions)
	out.Children = expand.Module(s.Module, s.Resolved, out.Running, s.Revisions, out.Ports, &s.Workload).Objects
	return out
}

// declaredRevision returns the revision that the spec leads to, and whether it is new.
func declaredRevision(s *ModuleStory) (expand.Revision, bool) {
	fresh := expand.NewModuleRevision(s.Module, s.Resolved, s.Result.Hash, s.Revisions)
	if kept, found := expand.FindRevision(s.Revisions, fresh, s.Module); found {
		return kept, false
	}
	return fresh, true
}

// findRejection returns the stable revision and why it runs in the place of the declared
// one. Before any revision has served there is none to go back to.
func findRejection(s *ModuleStory, declared expand.Revision, now time.Time) (expand.Revision, *v1.RejectedRevision) {
	st := &s.Module.Status
	i := slices.IndexFunc(s.Revisions, func(r expand.Revision) bool { return r.Name == st.StableRevision })
	if i < 0 || st.StableRevision == declared.Name {
		return expand.Revision{}, nil
	}
	stable := s.Revisions[i]
	switch {
	case st.Rejected != nil && st.Rejected.Revision == declared.Name:
		return stable, st.Rejected
	case s.goesBackByItself() && s.hasFailed(declared, stable, now):
		return stable, &v1.RejectedRevision{Revision: declared.Name, Reason: s.describeFailure(now), At: metav1.NewTime(now)}
	default:
		return expand.Revision{}, nil
	}
}

func (s *ModuleStory) goesBackByItself() bool {
	r := s.Resolved.Spec.Rollout
	return r == nil || r.AutoRollback == nil || *r.AutoRollback
}

// hasFailed reports whether the declared revision missed the deadline by its own fault:
// pods of the stable one would not meet what keeps its pods from being ready.
func (s *ModuleStory) hasFailed(declared, stable expand.Revision, now time.Time) bool {
	w := &s.Workload
	isStopped := w.Obstacle() != nil && diagnose.Workload(w.Deployment, w.Pods, now) == ""
	if w.Revision() != declared.Name || !w.HasMissedDeadline() || isStopped {
		return false
	}
	switch diagnose.FindCause(w.Deployment, w.Pods, now) {
	case diagnose.CauseHold, diagnose.CauseService:
		return false
	case diagnose.CauseRoom:
		return !diagnose.AsksForSameRoom(&stable.Template.Spec, &declared.Template.Spec)
	default:
		return true
	}
}

func (s *ModuleStory) describeFailure(now time.Time) string {
	deadline := v1.DefaultProgressDeadline
	if r := s.Resolved.Spec.Rollout; r != nil {
		deadline = r.ProgressDeadline
	}
	text := "the new pods made no progress for " + string(deadline) + " (progressDeadline)"
	if trouble := diagnose.Workload(s.Workload.Deployment, s.Workload.Pods, now); trouble != "" {
		text += ": " + trouble
	}
	return text
}
