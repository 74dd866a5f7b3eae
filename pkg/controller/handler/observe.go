package handler

import (
	"context"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/admit"
	"gati.dev/gati/pkg/defaulting"
	"gati.dev/gati/pkg/expand"
	"gati.dev/gati/pkg/facts"
	"gati.dev/gati/pkg/naming"
	"gati.dev/gati/pkg/observe"
	"gati.dev/gati/pkg/rollout"
	"gati.dev/gati/pkg/target"
)

// story is one reconciliation: what was seen, what was decided, what came of it.
type story struct {
	handler   *v1.GatiHandler
	facts     facts.Facts
	result    admit.Result
	resolved  defaulting.Handler
	revisions []expand.Revision
	workload  observe.Workload

	// running is the revision that the spec leads to; cut tells that it is new.
	running  expand.Revision
	cut      bool
	decision rollout.Decision

	outcome target.Outcome
}

// observe reads all that the decisions rest on.
func (r *Reconciler) observe(ctx context.Context, h *v1.GatiHandler) (*story, error) {
	s := &story{handler: h}
	var err error
	if s.facts, err = r.Facts.For(ctx, h.Namespace); err != nil {
		return nil, err
	}
	s.result, s.resolved = admit.Handler(h, nil, s.facts)
	if s.revisions, err = observe.Revisions(ctx, r.Client, h, v1.LabelHandler); err != nil {
		return nil, err
	}
	s.workload, err = observe.ReadWorkload(ctx, r.Client, h.Namespace, naming.Handler(h.Name))
	return s, err
}

// decide finds the revision to run and what each version should be. It is pure.
func (s *story) decide() {
	state := s.handler.Status.Versions
	if len(state) == 0 {
		state = rebuilt(s.revisions)
	}
	var found bool
	if s.running, found = expand.FindRevision(s.revisions, s.result.Hash); !found {
		s.running = expand.NewHandlerRevision(s.handler, s.resolved, s.result.Hash, sequenceOf(state, s.resolved.Version), s.revisions)
		s.cut = true
	}
	s.decision = rollout.Next(rollout.Input{
		Version: s.running.Version, Revision: s.running.Name, RevisionNumber: s.running.Number,
		State: state, Seen: s.progress(),
	})
}

func (s *story) progress() rollout.Observation {
	return observe.Progress(s.workload.Deployment, s.running.Name)
}

// sequenceOf returns the place of a version in the order of first admission.
func sequenceOf(state []v1.VersionStatus, version string) int64 {
	for _, v := range state {
		if v.Version == version {
			return v.Sequence
		}
	}
	return rollout.NextSequence(state)
}

// rebuilt returns the state that a lost status had, as far as the revisions tell.
func rebuilt(revisions []expand.Revision) []v1.VersionStatus {
	newest := map[string]expand.Revision{}
	for _, r := range revisions {
		if have, ok := newest[r.Version]; !ok || r.Number > have.Number {
			newest[r.Version] = r
		}
	}
	var out []v1.VersionStatus
	for _, r := range newest {
		out = append(out, v1.VersionStatus{
			Version: r.Version, Sequence: r.Sequence, Revision: r.Name, RevisionNumber: r.Number, Phase: v1.VersionDraining,
		})
	}
	return bySequence(out)
}
