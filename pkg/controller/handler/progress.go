package handler

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/controller/report"
	"gati.dev/gati/pkg/expand"
	"gati.dev/gati/pkg/naming"
	"gati.dev/gati/pkg/rollout"
	"gati.dev/gati/pkg/target"
)

// rolloutStatus is the state of the rollout as it was decided, or with an invalid spec
// as it was stored; nil before the first decision.
func (s *story) rolloutStatus() *v1.RolloutStatus {
	return cmp.Or(s.Decision.Rollout, s.Handler.Status.Rollout)
}

// stableWorkload is the workload that the front Service leads to, nil where there is none
// yet.
func (s *story) stableWorkload() *expand.Observed { return s.Workloads[s.stableWorkloadName()] }

func (s *story) stableWorkloadName() string {
	name := s.Decision.Front
	if ro := s.rolloutStatus(); name == "" && ro != nil && ro.Stable != nil {
		name = ro.Stable.Workload
	}
	return name
}

// stablePods counts the pods of the version that serves, nil before any has served.
// Where its Deployment is gone, all that were decided are missing.
func (s *story) stablePods() *report.Pods {
	ro, w := s.rolloutStatus(), s.stableWorkload()
	if ro == nil || ro.Stable == nil || ro.Phase == v1.RolloutStarting {
		return nil
	}
	hasServed := s.Handler.Status.Serving != ""
	if w == nil || w.Deployment == nil {
		if !hasServed {
			return nil
		}
		return &report.Pods{Wanted: s.decidedPods(ro.Stable.Workload)}
	}
	of := w.Progress(w.Revision())
	if !hasServed && of.Ready == 0 && of.Wanted > 0 {
		return nil
	}
	return &report.Pods{Ready: of.Ready, Wanted: of.Wanted}
}

// decidedPods returns how many pods a workload is to have, one where nothing was
// decided.
func (s *story) decidedPods(workload string) int32 {
	for _, w := range s.Decision.Workloads {
		if w.Workload == workload {
			return w.Replicas
		}
	}
	return 1
}

// servingVersion returns the version that serves, empty before any has.
func (s *story) servingVersion(pods *report.Pods) string {
	if pods == nil {
		return s.Handler.Status.Serving
	}
	return s.rolloutStatus().Stable.Version
}

// formatWeights returns the shares of the traffic: v1=90%,v2=10%.
func (s *story) formatWeights() string {
	var parts []string
	total := map[string]int32{}
	for _, v := range s.Decision.Versions {
		total[v.Version] += v.Weight
	}
	for _, v := range s.Decision.Versions {
		if share := total[v.Version]; share > 0 {
			parts = append(parts, fmt.Sprintf("%s=%d%%", v.Version, share))
			total[v.Version] = 0
		}
	}
	return strings.Join(parts, ",")
}

// isRolling reports whether pods or traffic are on the way to another state.
func (s *story) isRolling() bool {
	ro := s.Decision.Rollout
	return ro == nil || ro.Phase != v1.RolloutStable || report.IsRolling(s.stableDeployment())
}

// countsPods reports whether the pods of a workload have traffic or will have it. A drain is
// not pending: the pods of a version that is about to be removed do not count.
func (s *story) countsPods(w *rollout.WorkloadPlan) bool {
	ro := s.Decision.Rollout
	is := func(ref *v1.UnitRef) bool {
		return ref != nil && ref.Version == w.Unit.Version && ref.RevisionNumber == w.Unit.RevisionNumber
	}
	// A declared version at weight 0 counts under Manual, unless it waits for a user.
	return ro == nil || w.Weight > 0 || is(ro.Stable) || is(ro.Target) || is(ro.Declared) && ro.WaitingFor == nil
}

// sumProgress sums up the observations of the workloads that count.
func (s *story) sumProgress() rollout.Observation {
	out := rollout.Observation{Complete: true}
	for i := range s.Decision.Workloads {
		w := &s.Decision.Workloads[i]
		live := s.Workloads[w.Workload]
		switch {
		case !s.countsPods(w):
		case live == nil:
			out.Complete = false
			out.Wanted += w.Replicas
		default:
			of := live.Progress(w.Unit.Revision)
			out.Updated, out.Ready, out.Wanted = out.Updated+of.Updated, out.Ready+of.Ready, out.Wanted+of.Wanted
			out.Complete = out.Complete && of.Complete
		}
	}
	ro := s.Decision.Rollout
	if ro != nil && ro.Mode != v1.RolloutInPlace && ro.Phase != v1.RolloutStable {
		out.Complete = false
	}
	return out
}

// isApplied reports whether the spec was applied as a whole before.
func (s *story) isApplied() bool {
	return s.stored.Plan != nil && s.stored.ObservedGeneration == s.Handler.Generation
}

// hasUnwrittenPods reports whether a write is tried again that may change pods, or what reaches
// them. An update of another child that has lost a race changes neither: the child is there.
func hasUnwrittenPods(out target.Outcome) bool {
	if out.Again == 0 {
		return false
	}
	isOnlyOutdated := func(c target.Child) bool { return c.IsOutdated && c.Kind != deploymentKind }
	isUnwritten := func(c target.Child) bool { return c.Problem != nil || c.HasRaced && !isOnlyOutdated(c) }
	return slices.ContainsFunc(out.Children, isUnwritten) || !slices.ContainsFunc(out.Children, isOnlyOutdated)
}

// hasWrittenPods reports whether something is written that changes the pods that count.
func (s *story) hasWrittenPods(out target.Outcome) bool {
	return slices.ContainsFunc(s.Decision.Workloads, func(w rollout.WorkloadPlan) bool {
		return s.countsPods(&w) && out.HasWritten(deploymentKind, naming.DeploymentName(s.Handler.Name, w.Workload))
	})
}
