package handler

import (
	"cmp"
	"slices"
	"time"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/compat"
	"gati.dev/gati/pkg/expand"
	"gati.dev/gati/pkg/records"
	"gati.dev/gati/pkg/request"
	"gati.dev/gati/pkg/rollout"
)

// decide finds the revision that the spec leads to and what each version should
// be. It is pure.
func (s *story) decide(now time.Time) {
	state := rollout.State{Versions: s.handler.Status.Versions, Rollout: s.handler.Status.Rollout}
	if len(state.Versions) == 0 {
		state.Versions = s.rebuilt()
	}
	var found bool
	if s.running, found = expand.FindRevision(s.revisions, s.result.Hash); !found {
		s.running = expand.NewHandlerRevision(s.handler, s.resolved, s.result.Hash, s.sequence(), s.revisions)
		s.cut = true
	}
	policy := rollout.PolicyOf(s.resolved)
	s.decision = rollout.Next(rollout.Input{
		Now:       now,
		Policy:    policy,
		Declared:  rollout.Unit{Version: s.running.Version, Revision: s.running.Name, RevisionNumber: s.running.Number},
		Intent:    rollout.IntentOf(s.resolved, s.running.Name),
		Records:   s.recordFacts(),
		Kept:      s.kept(),
		Request:   s.request(),
		State:     state,
		Workloads: s.world(now),
		Route:     s.route,

		Measurements: s.measurements(policy),
	})
}

// sequence returns the place of the declared version in the order of first
// admission. The revisions know it, too, where the status was lost.
func (s *story) sequence() int64 {
	var last int64
	for _, r := range s.revisions {
		if r.Version == s.resolved.Version {
			return r.Sequence
		}
		last = max(last, r.Sequence)
	}
	for _, v := range s.handler.Status.Versions {
		if v.Version == s.resolved.Version {
			return v.Sequence
		}
		last = max(last, v.Sequence)
	}
	return last + 1
}

// rebuilt returns the versions that a lost status had, as far as the revisions
// tell. What each of them runs and gets is found out by the machine.
func (s *story) rebuilt() []v1.VersionStatus {
	phase := v1.VersionDecommissioned
	if s.resolved.Spec.Rollout.Strategy == v1.StrategyRollingUpdate {
		phase = v1.VersionDraining // Pods of its may be left.
	}
	newest := map[string]expand.Revision{}
	for _, r := range s.revisions {
		if have, ok := newest[r.Version]; !ok || r.Number > have.Number {
			newest[r.Version] = r
		}
	}
	var out []v1.VersionStatus
	for _, r := range newest {
		out = append(out, v1.VersionStatus{
			Version: r.Version, Sequence: r.Sequence, Revision: r.Name, RevisionNumber: r.Number, Phase: phase,
		})
	}
	slices.SortFunc(out, func(a, b v1.VersionStatus) int { return cmp.Compare(a.Sequence, b.Sequence) })
	return out
}

// recordFacts returns what the record of each version says.
func (s *story) recordFacts() map[string]rollout.Record {
	tags := records.Tags(s.records)
	out := map[string]rollout.Record{}
	for version, e := range s.records {
		if e.Winner == nil {
			continue
		}
		spec := e.Winner.Spec
		out[version] = rollout.Record{
			Traffic: spec.Traffic, Inactive: spec.Active != nil && !*spec.Active,
			Keep: spec.Keep != nil && *spec.Keep, Tags: tags[version],
		}
	}
	for version, verdict := range s.verdicts {
		r := out[version]
		r.Held, r.AllowedBy = verdict.Held(), compat.AllowedBy(s.handler, version)
		out[version] = r
	}
	return out
}

// kept has the names of the revisions that can be gone back to.
func (s *story) kept() map[string]bool {
	out := map[string]bool{s.running.Name: true}
	for _, r := range s.revisions {
		out[r.Name] = true
	}
	return out
}

// request returns what somebody asks for. One that cannot be read was stored
// while no policy looked, and asks for nothing.
func (s *story) request() *rollout.Request {
	text := s.handler.Annotations[v1.AnnotationRequest]
	if text == "" {
		return nil
	}
	r, err := request.Parse(text)
	if err != nil || !r.Available() {
		return nil
	}
	return &rollout.Request{
		Request: r, By: s.handler.Annotations[v1.AnnotationRequestedBy], Reason: s.handler.Annotations[v1.AnnotationRequestReason],
	}
}
