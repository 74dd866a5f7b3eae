package handler

import (
	"fmt"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/controller/report"
	"gati.dev/gati/pkg/diagnose"
	"gati.dev/gati/pkg/rollout"
)

// composeStatus returns the status of the observations, the decision and its outcome.
func (r *Reconciler) composeStatus(s *story, done outcome) *v1.GatiHandlerStatus {
	h, seen, now := s.Handler, r.gatherSeen(s, done), r.Clock.Now()
	was, st := &h.Status, h.Status.DeepCopy()
	st.ObservedGeneration = h.Generation
	result := report.Apply(&st.Conditions, seen, now)
	st.Phase, st.Health = result.Phase, result.Health
	report.Measured(&st.Conditions, s.isMeasured(), s.Decision.Unmeasured, h.Generation, now)
	report.Compatible(&st.Conditions, s.reportCompatibility(), h.Generation, now)
	report.Modules(&st.Conditions, h.Spec.Modules, s.missing, h.Generation, now)
	st.Replicas, st.ReadyReplicas = report.Replicas(s.stableDeployment())
	st.Route = s.claims
	if s.IsDecided() {
		st.Version, st.Image = s.Running.Version, s.Running.Image
		s.fillDecision(st, done)
		st.Serving, st.Weights = s.servingVersion(seen.Stable), s.formatWeights()
		st.Ready = v1.FormatReady(seen.Progress.Ready, seen.Progress.Wanted)
		st.Selector = report.Selector(s.plannedDeployment())
		st.Resolved = report.Resolved(s.Resolved.Scale, s.Running)
		st.Children = report.Children(done.Children)
		st.Plan, _ = s.planStatus(done.stamp)
	}
	changed := was.Phase != st.Phase || was.Health != st.Health || was.Version != st.Version || was.Ready != st.Ready
	st.LastUpdated = report.Stamp(was.LastUpdated, changed, metav1.NewTime(now))
	report.CleanTexts(st)
	return st
}

// fillDecision writes the decision into a status, with the records of its versions and the
// generation of its route for the next process.
func (s *story) fillDecision(st *v1.GatiHandlerStatus, done outcome) {
	decided := (&v1.GatiHandlerStatus{Versions: s.Decision.Versions, Rollout: s.Decision.Rollout}).DeepCopy()
	st.Versions, st.Rollout = decided.Versions, decided.Rollout
	for i := range st.Versions {
		if v := &st.Versions[i]; done.records != nil {
			v.Record = done.records[v.Version]
		}
	}
	if generation := routeGeneration(done.Children); st.Rollout != nil && generation > 0 {
		st.Rollout.RouteGeneration = generation
	}
	if len(s.Ports) > 0 {
		st.Ports = s.Ports
	}
}

// gatherSeen gathers the input of the report.
func (r *Reconciler) gatherSeen(s *story, done outcome) report.Seen {
	for _, w := range s.Workloads {
		report.NoteObstacles(done.Children, r.Clock.Now(), w.Obstacle())
	}
	out := report.Seen{
		Generation: s.Handler.Generation, Faults: s.Errors, Children: done.Children,
		Progress: s.sumProgress(), DeadlinePassed: s.hasMissedDeadline(),
		Refused:   report.PodsRefused(s.stableDeployment()),
		Sentence:  s.describeDecision(),
		Stable:    s.stablePods(),
		IsRolling: s.isRolling(), IsInPlace: s.IsAlone(), Halted: s.Decision.Stalled,
		IsBreaking: s.isRefused(),
	}
	if ro := s.Decision.Rollout; ro != nil {
		out.Waiting, out.IsPinned = ro.WaitingFor, ro.Pinned != nil
	}
	if done.IsPartial && !s.isApplied() || s.hasWrittenPods(done.Outcome) || hasUnwrittenPods(done.Outcome) {
		// Observations are older than the writes of this reconciliation: objects that were
		// written, left or failed do not count as done yet.
		out.Progress.Complete, out.DeadlinePassed = false, false
	}
	if out.Settled() || len(out.Faults) > 0 {
		return out
	}
	if w := s.stableWorkload(); w != nil {
		out.Trouble = diagnose.Workload(w.Deployment, w.Pods, r.Clock.Now())
		out.IsFailing = diagnose.IsFailing(w.Deployment, w.Pods, r.Clock.Now())
	}
	return out
}

// describeDecision describes the decision and its reason, and why versions stay.
func (s *story) describeDecision() string {
	out := append([]string{s.Decision.Reason}, s.Decision.Notes...)
	if len(s.Unpinned) > 0 {
		out = append(out, fmt.Sprintf("No header leads to %s: an HTTPRoute has room for %d pinned versions, and for fewer with several methods or tags; a tag keeps the pin of a version.", strings.Join(s.Unpinned, ", "), rollout.MaxPins))
	}
	if s.contested != "" {
		out = append(out, fmt.Sprintf("Another namespace has a route for %s, too; the gateway decides which of them serves it.", s.contested))
	}
	return strings.Join(out, " ")
}

func (s *story) hasMissedDeadline() bool {
	w := s.stableWorkload()
	return w != nil && w.HasMissedDeadline()
}

// stableDeployment is that of the stable workload, nil where there is none yet.
func (s *story) stableDeployment() *appsv1.Deployment {
	if w := s.stableWorkload(); w != nil {
		return w.Deployment
	}
	return nil
}

// plannedDeployment returns the Deployment of the stable workload, as it is about to be where
// there is none yet.
func (s *story) plannedDeployment() *appsv1.Deployment {
	if live := s.stableDeployment(); live != nil {
		return live
	}
	for _, child := range s.Children {
		if d, ok := child.(*appsv1.Deployment); ok && d.Labels[v1.LabelWorkload] == s.stableWorkloadName() {
			return d
		}
	}
	return nil
}
