package decide

import (
	"cmp"
	"slices"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/compat"
	"gati.dev/gati/pkg/diagnose"
	"gati.dev/gati/pkg/expand"
	"gati.dev/gati/pkg/naming"
	"gati.dev/gati/pkg/records"
	"gati.dev/gati/pkg/request"
	"gati.dev/gati/pkg/rollout"
)

// decideRollout asks the rollout's machine what each version should be.
func (p *planner) decideRollout() {
	state := rollout.State{Versions: p.Handler.Status.Versions, Rollout: p.Handler.Status.Rollout}
	if len(state.Versions) == 0 {
		state.Versions = p.rebuildVersions()
	}
	turn := p.turnBounds()
	p.IsBounded = turn != nil
	intent, earlier := rollout.IntentFor(p.Resolved, p.Running.Name)
	p.Input = rollout.Input{
		Now:       p.now,
		Handler:   p.Handler.Name,
		Policy:    rollout.PolicyFor(p.Resolved),
		Declared:  rollout.Unit{Version: p.Running.Version, Revision: p.Running.Name, RevisionNumber: p.Running.Number},
		Intent:    intent,
		Records:   p.recordFacts(),
		Kept:      p.keptRevisions(),
		Request:   p.parseRequest(),
		HasFaults: len(p.Errors) > 0,
		State:     state,
		Turn:      turn,
		Workloads: p.collectWorkloads(),
		Route:     p.Route,

		EarlierIntent: earlier,
		Transformers:  p.toldTransformers(state),
		Measurements:  p.Measurements, Counters: p.Counters, CheckJobs: p.CheckJobs,
	}
	p.Decision = rollout.Next(p.Input)
}

// rebuildVersions returns the versions that a lost status had, as far as the revisions
// show them. The machine finds out what each of them runs and receives.
func (p *planner) rebuildVersions() []v1.VersionStatus {
	phase := v1.VersionDecommissioned
	if p.Resolved.Spec.Rollout.Strategy == v1.StrategyRollingUpdate {
		phase = v1.VersionDraining // Some of its pods may be left.
	}
	newest := map[string]expand.Revision{}
	for _, r := range p.Revisions {
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

// recordFacts returns the settings of each version's record.
func (p *planner) recordFacts() map[string]rollout.Record {
	tags := records.Tags(p.Elections)
	out := map[string]rollout.Record{}
	for version, e := range p.Elections {
		if e.Winner == nil {
			continue
		}
		record := rollout.RecordFor(e.Winner.Spec)
		record.Tags = tags[version] // Of two records that claim a tag, one has it.
		record.Needed = len(records.Carried(e.Winner)) > 0
		record.Breaking = e.Winner.Spec.Breaking != nil && *e.Winner.Spec.Breaking
		out[version] = record
	}
	for _, hop := range p.Family.Hops {
		for _, version := range []string{hop.From, hop.To} {
			r := out[version]
			r.Needed = true
			out[version] = r
		}
	}
	for version, verdict := range p.Verdicts {
		r := out[version]
		r.Held, r.AllowedBy = verdict.Held(), compat.AllowedBy(p.Handler, version)
		out[version] = r
	}
	for _, v := range p.Family.Versions {
		r := out[v.Name]
		r.Serves = p.Serves[v.Name]
		if v.Run != "" || !p.Runs.AreOne() {
			r.Run = p.Runs[v.Name]
		}
		out[v.Name] = r
	}
	return out
}

// keptRevisions has the names of the revisions that can be gone back to.
func (p *planner) keptRevisions() map[string]bool {
	out := map[string]bool{p.Running.Name: true}
	for _, r := range p.Revisions {
		out[r.Name] = true
	}
	return out
}

// parseRequest returns the request on the handler. One that cannot be read was stored
// while no policy checked it, and asks for nothing.
func (p *planner) parseRequest() *rollout.Request {
	annotations := p.Handler.Annotations
	text := annotations[v1.AnnotationRequest]
	if text == "" {
		return nil
	}
	r, err := request.Parse(text)
	if err != nil || !r.IsAvailable() {
		return nil
	}
	return &rollout.Request{Request: r, By: annotations[v1.AnnotationRequestedBy], Reason: annotations[v1.AnnotationRequestReason]}
}

// collectWorkloads returns the machine's input about workloads: those that exist, and those
// that it knows or may begin and that do not.
func (p *planner) collectWorkloads() map[string]rollout.Workload {
	out := map[string]rollout.Workload{v1.WorkloadMain: {}, naming.Slug(p.Running.Version, p.Running.Number): {}}
	for _, v := range p.Handler.Status.Versions {
		if v.Workload != "" {
			out[v.Workload] = rollout.Workload{}
		}
	}
	for name := range p.Route.Weights {
		out[name] = rollout.Workload{} // Where the status was lost, the route alone knows it.
	}
	for name, w := range p.Workloads {
		observed := p.describeWorkload(w)
		observed.Reports = p.reportsFor(name, w)
		out[name] = observed
	}
	for name, w := range out {
		w.Traffic = p.trafficOf(name)
		out[name] = w
	}
	return out
}

// trafficOf returns the last measurement of a workload. Before the first, it has the source
// alone.
func (p *planner) trafficOf(workload string) rollout.Traffic {
	if t, ok := p.Traffic[workload]; ok {
		t.Source = cmp.Or(t.Source, p.TrafficSource)
		return t
	}
	return rollout.Traffic{Source: p.TrafficSource, Unproven: p.IsUnproven}
}

// describeWorkload returns the machine's input about one workload. Ready are the pods that a
// request can reach; where versions share the traffic, one whose endpoint is new does not
// count yet for more of it.
func (p *planner) describeWorkload(w *expand.Observed) rollout.Workload {
	out := rollout.Workload{Restarts: w.Restarts()}
	if w.Deployment == nil {
		return out
	}
	out.Exists, out.Unit = true, p.unitFor(w.Revision())
	out.Observation = w.Progress(w.Revision())
	out.Trouble = diagnose.Workload(w.Deployment, w.Pods, p.now)
	out.Obstructed = p.isObstructed(w)
	if o := w.Obstacle(); o != nil && out.Trouble == "" {
		out.Trouble, out.Obstructed = o.Reason+": "+o.Summary()+".", true
	}
	if !p.IsAlone() {
		out.Settling, _ = w.Settling(p.now)
		out.ExposedAt = w.ExposedAt
	}
	return out
}

// isObstructed reports whether pods of any version would meet what keeps those of a
// workload from being ready. A lack of room is a version's own where it asks for another
// room than the stable one.
func (p *planner) isObstructed(w *expand.Observed) bool {
	switch diagnose.FindCause(w.Deployment, w.Pods, p.now) {
	case diagnose.CauseHold, diagnose.CauseService:
		return true
	case diagnose.CauseRoom:
		return p.asksAsStable(w.Revision())
	default:
		return false
	}
}

// asksAsStable reports whether a revision asks for the room of the stable one. A template
// that is gone proves nothing against a version.
func (p *planner) asksAsStable(revision string) bool {
	ro := p.Handler.Status.Rollout
	if ro == nil || ro.Stable == nil {
		return true
	}
	stable, kept := p.findTemplate(ro.Stable.Revision)
	own, known := p.findTemplate(revision)
	return !kept || !known || diagnose.AsksForSameRoom(&stable.Template.Spec, &own.Template.Spec)
}
