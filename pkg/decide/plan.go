package decide

import (
	"slices"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/compat"
	"gati.dev/gati/pkg/expand"
	"gati.dev/gati/pkg/records"
	"gati.dev/gati/pkg/rollout"
)

// Planned is the plan of a handler.
type Planned struct {
	// Errors are what is wrong with the spec. With any, nothing is decided but about what
	// runs already.
	Errors field.ErrorList
	// Elections has the record that counts of each version.
	Elections map[string]records.Election
	// Family are the handler's versions, Verdicts what each that is in use, or is to be,
	// means for the callers of the others.
	Family   compat.Family
	Verdicts map[string]compat.Verdict
	// Runs has the run of each version, Serves the versions of other runs that it serves.
	Runs   compat.Run
	Serves map[string][]string

	// Running is the revision that the spec leads to; IsCut is true where it is new.
	Running expand.Revision
	IsCut   bool
	// Decision is the desired state of each version, Input what it depends on.
	Decision rollout.Decision
	Input    rollout.Input
	// IsBounded reports whether the operator's bounds on rollouts applied to the decision.
	IsBounded bool

	// Children are the objects that should exist, in the order of an apply. There are
	// none while nothing can be decided.
	Children []client.Object
	// Checks are the Jobs that should run. They are no part of the plan that a target
	// applies: each is created once.
	Checks []*batchv1.Job
	// Lost are the workloads whose template is gone. Children has everything of theirs
	// that needs no template.
	Lost []Lost
	// Unpinned are the versions and tags for whose pins the route has no room.
	Unpinned []string
	// Ports are those of the Services; there are none where there are no Children.
	Ports []int32
}

// planner is one computation of a plan.
type planner struct {
	*Story
	Planned
	now time.Time
}

// Plan decides on a handler, and expands it into children. Where the spec has faults, the
// template that it led to before stays the declared one: a rollout that has begun can still
// go back, and requests are answered.
func Plan(s *Story, judge *compat.Judge, now time.Time) (Planned, error) {
	p := planner{Story: s, now: now}
	p.Elections = records.ByVersion(s.Handler.Name, s.Records)
	if p.Errors = s.Result.Errors; len(p.Errors) == 0 {
		p.Errors = p.versionSource().Conflicts()
	}
	if len(p.Errors) > 0 && !p.keepDeclared() {
		return p.Planned, nil
	}
	if err := p.compareVersions(judge); err != nil {
		return p.Planned, err
	}
	if len(p.Errors) == 0 {
		p.findRevision()
	}
	p.decideRollout()
	if p.Decision.Undecided {
		return p.Planned, nil
	}
	p.noteVerdicts()
	p.noteReferences()
	return p.Planned, p.expandChildren()
}

// IsDecided reports whether there is a decision: of a spec with faults only where it led to
// something before.
func (p *Planned) IsDecided() bool { return len(p.Errors) == 0 || p.Decision.Rollout != nil }

// keepDeclared makes the template that the spec led to last the declared one, with its schema,
// and reports whether there is one.
func (p *planner) keepDeclared() bool {
	ro := p.Handler.Status.Rollout
	if ro == nil || ro.Declared == nil {
		return false
	}
	at := slices.IndexFunc(p.Revisions, func(r expand.Revision) bool {
		return r.Version == ro.Declared.Version && r.Number == ro.Declared.RevisionNumber
	})
	if at < 0 {
		return false
	}
	kept := *p.Story
	p.Story, p.Running = &kept, p.Revisions[at]
	p.Handler = p.Handler.DeepCopy()
	p.Handler.Spec.Schema = p.Running.Schema
	p.Resolved.Version, p.Resolved.Image = p.Running.Version, p.Running.Image
	return true
}

// findRevision finds the revision of the spec's inputs, or cuts a new one.
func (p *planner) findRevision() {
	p.Running, p.IsCut = runningRevision(p.Story)
	for _, v := range p.Family.Versions {
		if p.IsCut && v.Name == p.Running.Version {
			p.Running.Schema = v.Schema
		}
	}
}

// runningRevision returns the kept revision of the spec's inputs, or a new one. A kept one
// that does not have what the spec names is not used: pkg/controller/revision finds out
// when the new one cannot be written.
func runningRevision(s *Story) (expand.Revision, bool) {
	fresh := expand.NewHandlerRevision(s.Handler, s.Resolved, s.Result.Hash, s.declaredSequence(), s.Revisions)
	if kept, found := expand.FindRevision(s.Revisions, fresh, s.Handler); found {
		return kept, false
	}
	return fresh, true
}

// declaredSequence returns the place of the declared version in the order of first admission.
// The revisions have it, too, where the status was lost.
func (s *Story) declaredSequence() int64 {
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

// expandChildren makes the children of the decision.
func (p *planner) expandChildren() error {
	serving, live := make([]expand.Workload, 0, len(p.Decision.Workloads)), make([]expand.Revision, 0, len(p.Decision.Workloads))
	for _, plan := range p.Decision.Workloads {
		w := p.workloadFor(plan)
		serving = append(serving, w)
		if w.IsLost {
			p.Lost = append(p.Lost, p.lostOf(w))
		} else {
			live = append(live, w.Revision)
		}
	}
	p.Ports = expand.ServedPorts(p.Handler.Status.Ports, *p.Resolved.Spec.Port, live, p.Revisions)
	plan := expand.Handler(p.Handler, p.Resolved, serving, p.Decision.Front, p.Revisions, p.Ports)
	if err := plan.AddTransformers(p.Handler, p.transformersFor(p.Decision.State)); err != nil {
		return err
	}
	p.Children = plan.Objects
	p.expandChecks()
	p.Unpinned = slices.Concat(p.Decision.Unpinned, plan.Unpinned)
	slices.Sort(p.Unpinned)
	p.Unpinned = slices.Compact(p.Unpinned)
	return nil
}

// expandChecks makes the Jobs of the checks that run.
func (p *planner) expandChecks() {
	for _, c := range p.Decision.Checks {
		at := slices.IndexFunc(p.Resolved.Spec.Rollout.Checks, func(check v1.RolloutCheck) bool { return check.Name == c.Check })
		revision, ok := p.findTemplate(c.Unit.Revision)
		if at >= 0 && ok {
			p.Checks = append(p.Checks, expand.CheckJob(p.Handler, p.Resolved.Spec.Rollout.Checks[at], revision, c.Workload, c.Job, p.Ports[0]))
		}
	}
}

// workloadFor returns a decided workload as the expansion needs it.
func (p *planner) workloadFor(w rollout.WorkloadPlan) expand.Workload {
	revision, ok := p.findTemplate(w.Unit.Revision)
	if !ok {
		revision = expand.Revision{Name: w.Unit.Revision, Version: w.Unit.Version, Number: w.Unit.RevisionNumber}
	}
	out := expand.Workload{WorkloadPlan: w, Revision: revision, IsLost: !ok, Observed: p.Workloads[w.Workload]}
	if w.Pinned {
		out.Pins = append([]string{w.Unit.Version}, p.recordFacts()[w.Unit.Version].Tags...)
	}
	if !out.Observed.Exists() && p.Resolved.Scale.Auto && p.Decision.Front == w.Workload {
		// The first workload starts with as many as the spec says.
		out.Initial = max(w.Replicas, p.Resolved.Scale.Replicas)
	}
	out.Reachable = out.Observed.HasSettled(p.now)
	return out
}

// findTemplate returns the revision of that name.
func (p *planner) findTemplate(name string) (expand.Revision, bool) {
	if p.Running.Name == name {
		return p.Running, true
	}
	at := slices.IndexFunc(p.Revisions, func(r expand.Revision) bool { return r.Name == name })
	if at < 0 {
		return expand.Revision{}, false
	}
	return p.Revisions[at], true
}
