package handler

import (
	"fmt"
	"slices"
	"time"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/expand"
	"gati.dev/gati/pkg/observe"
	"gati.dev/gati/pkg/rollout"
	"gati.dev/gati/pkg/target"
)

// serving returns the decided workloads as the plan needs them. Where the template
// of one is lost it returns that instead: a plan without it would take its pods
// away.
func (s *story) serving() ([]expand.Serving, *target.Child) {
	var out []expand.Serving
	for _, w := range s.decision.Workloads {
		revision, ok := s.revision(w.Unit.Revision)
		if !ok {
			return nil, &target.Child{Kind: "ControllerRevision.apps", Name: w.Unit.Revision, Problem: fmt.Errorf(
				"the ControllerRevision %s is gone, which has the template that %s runs: nothing is changed until it is back or %s is over; apply the spec of %s again, or decommission it",
				w.Unit.Revision, w.Unit.Version, w.Unit.Version, w.Unit.Version)}
		}
		out = append(out, s.servingOf(w, revision))
	}
	return out, nil
}

func (s *story) servingOf(w rollout.WorkloadPlan, revision expand.Revision) expand.Serving {
	out := expand.Serving{
		Revision: revision, Workload: w.Workload, Replicas: w.Replicas, Least: w.Replicas, Held: w.Exact,
		Weight: w.Weight, Paused: w.Paused,
	}
	if w.Pinned {
		out.Pins = append([]string{w.Unit.Version}, s.tagsOf(w.Unit.Version)...)
	}
	if w.RestartedAt != nil {
		out.RestartedAt = w.RestartedAt.UTC().Format(time.RFC3339)
	}
	seen := s.workloads[w.Workload]
	if seen == nil {
		seen = &observe.Workload{}
	}
	if seen.Deployment == nil && s.resolved.Scale.Auto && s.decision.Front == w.Workload {
		// The first workload starts with as many as the spec says.
		out.Replicas = max(out.Replicas, s.resolved.Scale.Replicas)
	}
	out.Reachable, out.Live = seen.Served, observe.Live(seen.Deployment, seen.Autoscaler)
	return out
}

func (s *story) tagsOf(version string) []string { return s.recordFacts()[version].Tags }

// revision returns the template of that name.
func (s *story) revision(name string) (expand.Revision, bool) {
	if s.running.Name == name {
		return s.running, true
	}
	at := slices.IndexFunc(s.revisions, func(r expand.Revision) bool { return r.Name == name })
	if at < 0 {
		return expand.Revision{}, false
	}
	return s.revisions[at], true
}

// stable is the workload that the front Service leads to, nil where there is none
// yet.
func (s *story) stable() *observe.Workload {
	name := s.decision.Front
	if name == "" && s.decision.Rollout != nil && s.decision.Rollout.Stable != nil {
		name = s.decision.Rollout.Stable.Workload
	}
	return s.workloads[name]
}

// progress sums up what was seen of the decided workloads.
func (s *story) progress() rollout.Observation {
	out := rollout.Observation{Complete: true}
	for _, w := range s.decision.Workloads {
		seen := s.workloads[w.Workload]
		if seen == nil {
			out.Complete = false
			out.Wanted += w.Replicas
			continue
		}
		of := observe.Progress(seen.Deployment, w.Unit.Revision)
		out.Updated, out.Ready, out.Wanted = out.Updated+of.Updated, out.Ready+of.Ready, out.Wanted+of.Wanted
		out.Complete = out.Complete && of.Complete
	}
	ro := s.decision.Rollout
	if ro != nil && ro.Mode != v1.RolloutInPlace && ro.Phase != v1.RolloutStable {
		out.Complete = false
	}
	return out
}
