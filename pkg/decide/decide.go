package decide

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

// Decide finds the revision that the spec leads to and what each version should be,
// from what traffic tells of each workload and what was measured of the target.
func (s *Story) Decide(now time.Time, traffic func(workload string) rollout.Traffic, measured func(rollout.Policy) []rollout.Measurement) {
	state := rollout.State{Versions: s.Handler.Status.Versions, Rollout: s.Handler.Status.Rollout}
	if len(state.Versions) == 0 {
		state.Versions = s.rebuilt()
	}
	var found bool
	if s.Running, found = expand.FindRevision(s.Revisions, s.Result.Hash); !found {
		s.Running = expand.NewHandlerRevision(s.Handler, s.Resolved, s.Result.Hash, s.sequence(), s.Revisions)
		s.Cut = true
	}
	s.decidedAt = now
	policy := rollout.PolicyOf(s.Resolved)
	s.Decision = rollout.Next(rollout.Input{
		Now:       now,
		Policy:    policy,
		Declared:  rollout.Unit{Version: s.Running.Version, Revision: s.Running.Name, RevisionNumber: s.Running.Number},
		Intent:    rollout.IntentOf(s.Resolved, s.Running.Name),
		Records:   s.recordFacts(),
		Kept:      s.kept(),
		Request:   s.request(),
		State:     state,
		Workloads: s.world(now, traffic),
		Route:     s.Route,

		Measurements: measured(policy),
	})
}

// sequence returns the place of the declared version in the order of first
// admission. The revisions know it, too, where the status was lost.
func (s *Story) sequence() int64 {
	var last int64
	for _, r := range s.Revisions {
		if r.Version == s.Resolved.Version {
			return r.Sequence
		}
		last = max(last, r.Sequence)
	}
	for _, v := range s.Handler.Status.Versions {
		if v.Version == s.Resolved.Version {
			return v.Sequence
		}
		last = max(last, v.Sequence)
	}
	return last + 1
}

// rebuilt returns the versions that a lost status had, as far as the revisions
// tell. What each of them runs and gets is found out by the machine.
func (s *Story) rebuilt() []v1.VersionStatus {
	phase := v1.VersionDecommissioned
	if s.Resolved.Spec.Rollout.Strategy == v1.StrategyRollingUpdate {
		phase = v1.VersionDraining // Pods of its may be left.
	}
	newest := map[string]expand.Revision{}
	for _, r := range s.Revisions {
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
func (s *Story) recordFacts() map[string]rollout.Record {
	tags := records.Tags(s.Records)
	out := map[string]rollout.Record{}
	for version, e := range s.Records {
		if e.Winner == nil {
			continue
		}
		spec := e.Winner.Spec
		out[version] = rollout.Record{
			Traffic: spec.Traffic, Inactive: spec.Active != nil && !*spec.Active,
			Keep: spec.Keep != nil && *spec.Keep, Tags: tags[version],
		}
	}
	for version, verdict := range s.Verdicts {
		r := out[version]
		r.Held, r.AllowedBy = verdict.Held(), compat.AllowedBy(s.Handler, version)
		out[version] = r
	}
	return out
}

// kept has the names of the revisions that can be gone back to.
func (s *Story) kept() map[string]bool {
	out := map[string]bool{s.Running.Name: true}
	for _, r := range s.Revisions {
		out[r.Name] = true
	}
	return out
}

// request returns what somebody asks for. One that cannot be read was stored
// while no policy looked, and asks for nothing.
func (s *Story) request() *rollout.Request {
	text := s.Handler.Annotations[v1.AnnotationRequest]
	if text == "" {
		return nil
	}
	r, err := request.Parse(text)
	if err != nil || !r.Available() {
		return nil
	}
	return &rollout.Request{
		Request: r, By: s.Handler.Annotations[v1.AnnotationRequestedBy], Reason: s.Handler.Annotations[v1.AnnotationRequestReason],
	}
}
