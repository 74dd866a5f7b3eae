package status

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/printable"
	"gati.dev/gati/pkg/rollout"
)

// Rollout is the rollout of a handler with its requests and history. A template that
// is not the first of its version has its number behind the version: v2 r2.
type Rollout struct {
	Phase v1.RolloutPhase `json:"phase,omitempty"`
	Mode  v1.RolloutMode  `json:"mode,omitempty"`
	// Gateway reports whether an HTTPRoute splits the traffic. Without one the numbers
	// of ready pods do, and give the accepted weights.
	Gateway bool `json:"gateway"`
	// Stable serves, Target is being rolled out, Previous was stable before.
	Stable   string `json:"stable,omitempty"`
	Target   string `json:"target,omitempty"`
	Previous string `json:"previous,omitempty"`
	// Units are those of Stable, Target and Pinned, for commands that name a version.
	Units Units `json:"-"`
	// Step is the current step, from 1; 0 without steps.
	Step  int32  `json:"step,omitempty"`
	Steps []Step `json:"steps,omitempty"`
	// SparePods is how many pods of the target its step does not need: the warm pool.
	SparePods int32 `json:"sparePods,omitempty"`
	// StepSince is when the step was reached: its pods ready, its weight accepted. It
	// is absent before.
	StepSince *metav1.Time `json:"stepSince,omitempty"`
	// WaitingFor is the reason why the rollout waits, as the controller decided it.
	WaitingFor *v1.WaitingStatus `json:"waitingFor,omitempty"`
	// Reason is its message in one line, empty when nothing holds the rollout. A
	// controller of an older release gives its condition's message instead.
	Reason string `json:"reason,omitempty"`
	// Next is the next step or the remedy, NextAt its time where time decides.
	Next   string       `json:"next,omitempty"`
	NextAt *metav1.Time `json:"nextAt,omitempty"`
	// Waits reports whether it continues only on a request.
	Waits bool `json:"waits,omitempty"`
	// Back reports whether another version serves than the spec declares, after a
	// failure, an abort or a rollback.
	Back bool `json:"back,omitempty"`

	StartedAt *metav1.Time `json:"startedAt,omitempty"`
	// Analysis holds the measurements of the target, where the spec has an analysis.
	Analysis *Analysis `json:"analysis,omitempty"`
	// Frozen is who paused it.
	Frozen *v1.Deed `json:"frozen,omitempty"`
	// Pinned is the version that a rollback went to, until the spec changes.
	Pinned *Pin `json:"pinned,omitempty"`
	// Rejected is not tried again until the spec changes.
	Rejected []Rejection `json:"rejected,omitempty"`
	// Requests are the handled ones, History the events; both oldest first.
	Requests []v1.HandledRequest `json:"requests,omitempty"`
	History  []v1.HistoryEntry   `json:"history,omitempty"`
}

// Units are the units of a rollout; nil is none.
type Units struct{ Stable, Target, Pinned *v1.UnitRef }

// Step is one step of a rollout. The last one has all traffic and no pause.
type Step struct {
	// Weight is in percent.
	Weight int32 `json:"weight"`
	// Pause is how long the step lasts; absent where it lasts until promoted, and
	// at the end.
	Pause string    `json:"pause,omitempty"`
	State StepState `json:"state"`
}

// StepState is the progress of a step.
type StepState string

// The states of a step.
const (
	StepDone  StepState = "Done"
	StepNow   StepState = "Now"
	StepLater StepState = "Later"
)

// Pin is the version that a rollback went to.
type Pin struct {
	Version string      `json:"version"`
	By      string      `json:"by"`
	At      metav1.Time `json:"at"`
}

// Rejection is a version that is not tried again.
type Rejection struct {
	Version string      `json:"version"`
	Reason  string      `json:"reason"`
	At      metav1.Time `json:"at"`
}

// viewRollout returns the view of a handler's rollout, nil where the controller has not
// written one.
func (b *builder) viewRollout(h *v1.GatiHandler, conditions []Condition) *Rollout {
	ro := h.Status.Rollout
	if ro == nil {
		return nil
	}
	out := &Rollout{
		Phase: ro.Phase, Mode: ro.Mode, Gateway: h.Spec.Route != nil,
		Stable: ro.Stable.Title(), Target: ro.Target.Title(), Previous: ro.Previous.Title(),
		Units:     Units{Stable: ro.Stable, Target: ro.Target},
		SparePods: ro.SparePods,
		StartedAt: ro.StartedAt, WaitingFor: ro.WaitingFor, Frozen: ro.Frozen,
		Requests: ro.Requests, History: ro.History,
		Analysis: viewAnalysis(h, ro, b.now),
	}
	if p := ro.Pinned; p != nil {
		out.Pinned, out.Units.Pinned = &Pin{p.Title(), p.By, p.At}, &p.UnitRef
	}
	for _, r := range ro.Rejected {
		out.Rejected = append(out.Rejected, Rejection{r.Title(), printable.OneLine(r.Reason), r.At})
	}
	out.setSteps(h)
	out.setReason(h, conditions, b.now)
	return out
}

// isHeld reports whether the declared version, or its share, is refused until a user
// acts.
func (r *Rollout) isHeld() bool {
	return r.WaitingFor != nil && r.WaitingFor.Reason.Health() == Degraded
}

// setSteps fills in the steps of a running rollout that has any.
func (r *Rollout) setSteps(h *v1.GatiHandler) {
	ro := h.Status.Rollout
	if ro.Mode != v1.RolloutSteps || ro.Target == nil {
		return
	}
	steps := rollout.StepsIn(h)
	at := min(int(ro.Step), len(steps)-1)
	r.Step, r.StepSince = int32(at+1), ro.StepStartedAt
	for i, step := range steps {
		out := Step{Weight: step.Weight, State: StepNow}
		switch {
		case i < at:
			out.State = StepDone
		case i > at:
			out.State = StepLater
		}
		if step.Pause > 0 {
			out.Pause = formatLength(step.Pause)
		}
		r.Steps = append(r.Steps, out)
	}
}
