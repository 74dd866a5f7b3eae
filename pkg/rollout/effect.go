package rollout

import (
	"slices"
	"time"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/defaulting"
	"gati.dev/gati/pkg/facts"
)

// Outcome is the result of a request.
type Outcome struct {
	// Refused is why the request is refused; empty where it is not.
	Refused string
	// Does describes the effect of the request; empty if it is refused.
	Does string
	// Weights are the shares of the traffic that the request changes, from the current to
	// the final share. Empty where it changes none.
	Weights []WeightChange
	// Step is where a rollout in steps goes; nil where the step stays.
	Step *StepChange
	// Version is the version that a rollback goes to; empty for other requests.
	Version string
}

// WeightChange is one share of the traffic before and after, in percent.
type WeightChange struct {
	Unit     v1.UnitRef
	From, To int32
}

// StepChange is a step before and after, counted from 1, and how many there are.
type StepChange struct{ From, To, Of int32 }

// Effect returns the result that a request would have now. The machine
// itself handles it, on a copy of the state, so both always agree on the same input.
// The request needs no ID.
//
// Effect needs no more than what InputFor reads from the API. So it cannot know changes
// since the controller's last decision: a new spec (status.observedGeneration), a deleted
// ControllerRevision, an override by the handler's annotation, or the holder of a tag that
// two records claim.
func Effect(in Input, r Request) Outcome {
	in.Request = nil
	before, _ := newPrepared(in)
	in.Request = &r
	m, decidable := newPrepared(in)
	if !decidable {
		return Outcome{Refused: m.reason}
	}
	version := m.rollbackVersion(r)
	m.handleRequests()
	handled := m.ro.Requests[slices.IndexFunc(m.ro.Requests, func(h v1.HandledRequest) bool { return h.ID == r.ID })]
	if handled.Refused {
		return Outcome{Refused: handled.Outcome, Version: version}
	}
	out := Outcome{Does: handled.Outcome, Weights: m.changedWeights(before), Version: version}
	if from, to := before.stepNumber(), m.stepNumber(); from > 0 && to > 0 && from != to {
		out.Step = &StepChange{From: from, To: to, Of: int32(len(m.rolloutSteps()))}
	}
	return out
}

// InputFor returns the input of Effect for a handler and the GatiVersions of its
// namespace, as they are stored.
func InputFor(h *v1.GatiHandler, versions []v1.GatiVersion, now time.Time) Input {
	resolved, _ := defaulting.ResolveHandler(&h.Spec, facts.Facts{}) // The image does not matter.
	in := Input{
		Now: now, Handler: h.Name, Policy: PolicyFor(resolved), Records: map[string]Record{},
		State: State{Versions: h.Status.Versions, Rollout: h.Status.Rollout},
	}
	for i := range h.Status.Versions {
		s := &h.Status.Versions[i]
		var record Record
		if at := slices.IndexFunc(versions, func(v v1.GatiVersion) bool { return v.Name == s.Record && s.Record != "" }); at >= 0 {
			record = RecordFor(versions[at].Spec)
		}
		record.Held, record.Run, record.Serves = s.Held, s.Run, s.Serves
		in.Records[s.Version] = record
	}
	if ro := h.Status.Rollout; ro != nil {
		in.Intent = ro.Intent
		in.Declared = declaredIn(&h.Status)
		isAdmitted := slices.ContainsFunc(h.Status.Versions, func(v v1.VersionStatus) bool { return v.Version == in.Declared.Version })
		if w := ro.WaitingFor; w != nil && w.Reason == v1.WaitingForCompatibility && !isAdmitted {
			// In place, a version that never ran has no place in the status.
			record := in.Records[in.Declared.Version]
			record.Held = w.Held
			in.Records[in.Declared.Version] = record
		}
	}
	return in
}

// RecordFor returns the settings in the spec of a GatiVersion.
func RecordFor(spec v1.GatiVersionSpec) Record {
	r := Record{
		Traffic: spec.Traffic, Inactive: spec.Active != nil && !*spec.Active,
		Keep: spec.Keep != nil && *spec.Keep,
	}
	for _, tag := range spec.Tags {
		r.Tags = append(r.Tags, string(tag))
	}
	return r
}

// declaredIn returns the declared template of the last decision. The status of an older
// release does not have it; the newest template of the version is the best guess then.
func declaredIn(s *v1.GatiHandlerStatus) Unit {
	if d := s.Rollout.Declared; d != nil {
		return Unit{Version: d.Version, Revision: d.Revision, RevisionNumber: d.RevisionNumber}
	}
	out := Unit{Version: s.Version}
	for i := range s.Versions {
		if v := &s.Versions[i]; v.Version == out.Version && v.RevisionNumber > out.RevisionNumber {
			out.Revision, out.RevisionNumber = v.Revision, v.RevisionNumber
		}
	}
	return out
}

// newPrepared returns a machine with all input but the request. It reports whether the
// input suffices for a decision.
func newPrepared(in Input) (*machine, bool) {
	m := newMachine(in)
	if m.in.State.Rollout == nil && !m.recoverState() {
		return m, false
	}
	m.syncUnits()
	m.applySpecChange()
	m.gateway.observeRoute()
	m.capacity.raiseReference()
	m.contracts.ensureContract()
	m.contracts.applyOverrides()
	return m, true
}

// changedWeights returns the current and final shares where a request changes the final
// ones.
func (m *machine) changedWeights(before *machine) []WeightChange {
	goal := m.finalWeights()
	if slices.Equal(goal, before.finalWeights()) {
		return nil
	}
	return slices.DeleteFunc(goal, func(w WeightChange) bool { return w.From == w.To })
}

// finalWeights returns the share of each unit now, and the one that it will have when
// the current step, the rollback or the change of records is over.
func (m *machine) finalWeights() []WeightChange {
	if m.isInPlace() {
		return m.finalInPlace()
	}
	goal, now := m.finalGoal(), weights{}
	for _, u := range m.units {
		now[u] = u.Weight
	}
	now, goal = m.traffic.realShares(now), m.traffic.realShares(goal)
	var out []WeightChange
	for _, u := range m.units {
		if isLive(u) || goal[u] > 0 {
			ref := v1.UnitRef{Version: u.Version, RevisionNumber: u.RevisionNumber}
			out = append(out, WeightChange{Unit: ref, From: now[u], To: goal[u]})
		}
	}
	return out
}

// finalInPlace moves all traffic from the current to the final template of the one
// workload.
func (m *machine) finalInPlace() []WeightChange {
	run, _ := m.candidates.unitToRun()
	now := m.ro.Target
	if now == nil {
		now = m.ro.Stable
	}
	plain := func(ref *v1.UnitRef) v1.UnitRef {
		return v1.UnitRef{Version: ref.Version, RevisionNumber: ref.RevisionNumber}
	}
	if now == nil || now.SameTemplate(run) {
		return []WeightChange{{Unit: plain(run), From: 100, To: 100}}
	}
	return []WeightChange{{Unit: plain(now), From: 100}, {Unit: plain(run), To: 100}}
}

func (m *machine) finalGoal() weights {
	stable, target := m.findUnit(m.ro.Stable), m.findUnit(m.ro.Target)
	wanted, _ := m.candidates.findWanted()
	switch {
	case stable == nil:
		return weights{}
	case m.isManual():
		return m.shares.recordedWeights()
	case m.ro.Phase == v1.RolloutRollingBack && m.ro.Pinned == nil, wanted == nil:
		return allTo(stable)
	case m.ro.Pinned != nil, sameTemplate(wanted, stable):
		return allTo(wanted)
	case m.isRollingOut() && sameTemplate(wanted, target):
		weight := m.currentStep().Weight
		return weights{stable: 100 - weight, target: weight}
	case m.isRollingOut():
		return allTo(stable) // Another version supersedes the target.
	case m.in.Policy.Strategy == v1.StrategyRollingUpdate:
		return allTo(wanted)
	default:
		weight := m.in.Policy.AllSteps()[0].Weight
		return weights{stable: 100 - weight, wanted: weight}
	}
}
