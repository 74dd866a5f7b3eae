package handler

import (
	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/rollout"
	"gati.dev/gati/pkg/seen"
)

// stable is the workload that the front Service leads to, nil where there is none
// yet.
func (s *story) stable() *seen.Workload {
	name := s.Decision.Front
	if name == "" && s.Decision.Rollout != nil && s.Decision.Rollout.Stable != nil {
		name = s.Decision.Rollout.Stable.Workload
	}
	return s.Workloads[name]
}

// progress sums up what was seen of the decided workloads.
func (s *story) progress() rollout.Observation {
	out := rollout.Observation{Complete: true}
	for _, w := range s.Decision.Workloads {
		live := s.Workloads[w.Workload]
		if live == nil {
			out.Complete = false
			out.Wanted += w.Replicas
			continue
		}
		of := live.Progress(w.Unit.Revision)
		out.Updated, out.Ready, out.Wanted = out.Updated+of.Updated, out.Ready+of.Ready, out.Wanted+of.Wanted
		out.Complete = out.Complete && of.Complete
	}
	ro := s.Decision.Rollout
	if ro != nil && ro.Mode != v1.RolloutInPlace && ro.Phase != v1.RolloutStable {
		out.Complete = false
	}
	return out
}
