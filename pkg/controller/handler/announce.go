package handler

import (
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/controller/report"
	"gati.dev/gati/pkg/decide"
	"gati.dev/gati/pkg/naming"
	"gati.dev/gati/pkg/target"
)

// announce lets the write that persists a decision say what follows from it as well, so that
// the report has nothing to add unless something fails. Nothing becomes ready before its pods
// are written, and what stalled an earlier spec is not said of one that was not applied yet.
func (r *Reconciler) announce(s *story) {
	if slices.ContainsFunc(s.Handler.Status.Children, func(c v1.ChildStatus) bool { return c.Message != "" }) {
		return // The report knows whether they still are in trouble.
	}
	st := &s.Handler.Status
	before, isNew := st.DeepCopy(), st.ObservedGeneration != s.Handler.Generation
	r.fill(s)
	wasReady := !isNew && meta.IsStatusConditionTrue(before.Conditions, v1.ConditionReady)
	becomesReady := !wasReady && meta.IsStatusConditionTrue(st.Conditions, v1.ConditionReady)
	if becomesReady && (isNew || !s.keepsPods()) || isNew && meta.IsStatusConditionTrue(st.Conditions, v1.ConditionStalled) {
		*st = *before
		return
	}
	r.announceChildren(s, st)
}

// keepsPods reports whether the decision leaves all pods that count as they are, as at the end
// of a rollout: what was seen of them is true of the decision as well.
func (s *story) keepsPods() bool {
	for i := range s.Decision.Workloads {
		w := &s.Decision.Workloads[i]
		isAsBefore := func(v v1.VersionStatus) bool {
			return v.Workload == w.Workload && v.Revision == w.Unit.Revision && v.Replicas == w.Replicas && v.RestartedAt.Equal(w.RestartedAt)
		}
		if s.counts(w) && !slices.ContainsFunc(s.versionsBefore, isAsBefore) {
			return false
		}
	}
	return true
}

// announceChildren writes into a status the children, records and plan as they are about to
// be.
func (r *Reconciler) announceChildren(s *story, st *v1.GatiHandlerStatus) {
	children := slices.Clone(s.plan.Held)
	for _, obj := range s.plan.Objects {
		children = append(children, target.Child{Kind: target.KindOf(obj, r.Client.Scheme()), Name: obj.GetName()})
	}
	if report.HasProblem(children) {
		return
	}
	st.Children = report.Children(children)
	for i := range st.Versions {
		v := &st.Versions[i]
		if winner := s.Elections[v.Version].Winner; winner != nil {
			v.Record = winner.Name
		} else if v.Record == "" {
			v.Record = naming.RecordName(s.Handler.Name, v.Version)
		}
	}
	if stamp, err := s.stampOnce(); err == nil && len(s.failed) == 0 && !hasHeldDeployment(*s.plan) {
		st.Plan = s.planStatus(stamp)
		s.announced = st.Plan
	}
}

// stampOnce returns the stamp of the plan.
func (s *story) stampOnce() (*decide.Stamp, error) {
	if s.stamp != nil {
		return s.stamp, nil
	}
	stamp, err := decide.StampHandler(&s.Story)
	if err == nil {
		s.stamp = &stamp
	}
	return s.stamp, err
}
