package decide

import (
	"time"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/diagnose"
	"gati.dev/gati/pkg/naming"
	"gati.dev/gati/pkg/rollout"
	"gati.dev/gati/pkg/seen"
)

// world returns what the machine is told of the workloads: those that are there,
// and of those that it knows or may begin, that they are not.
func (s *Story) world(now time.Time, traffic func(string) rollout.Traffic) map[string]rollout.Workload {
	out := map[string]rollout.Workload{v1.WorkloadMain: {}, naming.Slug(s.Running.Version, s.Running.Number): {}}
	for _, v := range s.Handler.Status.Versions {
		if v.Workload != "" {
			out[v.Workload] = rollout.Workload{}
		}
	}
	for name, w := range s.Workloads {
		out[name] = s.seenOf(w, now)
	}
	for name, w := range out {
		w.Traffic = traffic(name)
		out[name] = w
	}
	return out
}

// seenOf returns what the machine is told of one workload. Ready are the pods that
// a request can reach: where versions share the traffic, a pod without an endpoint
// is none, and one that has had its endpoint only since just now does not count yet
// for more traffic.
func (s *Story) seenOf(w *seen.Workload, now time.Time) rollout.Workload {
	out := rollout.Workload{Restarts: w.Restarts()}
	if w.Deployment == nil {
		return out
	}
	out.Exists, out.Unit = true, s.UnitOf(w.Revision())
	out.Observation = w.Progress(w.Revision())
	out.Trouble = diagnose.Workload(w.Deployment, w.Pods, now)
	if !s.Alone() {
		out.Ready = min(out.Ready, int32(len(w.Reachable)))
		out.Settling, _ = w.Settling(now)
	}
	return out
}

// Alone tells that a handler has one workload, updated in place.
func (s *Story) Alone() bool {
	return s.Resolved.Spec.Rollout.Strategy == v1.StrategyRollingUpdate && len(s.Workloads) <= 1
}

// UnitOf returns what a revision is a template of.
func (s *Story) UnitOf(revision string) rollout.Unit {
	for _, r := range s.Revisions {
		if r.Name == revision {
			return rollout.Unit{Version: r.Version, Revision: r.Name, RevisionNumber: r.Number}
		}
	}
	return rollout.Unit{}
}
