package status

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "gati.dev/gati/api/v1"
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
	// Step is the current step, from 1; 0 without steps.
	Step  int32  `json:"step,omitempty"`
	Steps []Step `json:"steps,omitempty"`
	// StepSince is when the step was reached: its pods ready, its weight accepted. It
	// is absent before.
	StepSince *metav1.Time `json:"stepSince,omitempty"`
	// Reason is one sentence on where it stands, empty when nothing goes on.
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

// rollout returns the view of a handler's rollout, nil where the controller has
// not written one.
func (b *builder) viewRollout(h *v1.GatiHandler, item *Item) *Rollout {
	ro := h.Status.Rollout
	if ro == nil {
		return nil
	}
	out := &Rollout{
		Phase: ro.Phase, Mode: ro.Mode, Gateway: h.Spec.Route != nil,
		Stable: titleOf(ro.Stable), Target: titleOf(ro.Target), Previous: titleOf(ro.Previous),
		StartedAt: ro.StartedAt, Frozen: ro.Frozen,
		Requests: ro.Requests, History: ro.History,
		Analysis: viewAnalysis(h, ro),
	}
	if p := ro.Pinned; p != nil {
		out.Pinned = &Pin{titleOf(&p.UnitRef), p.By, p.At}
	}
	for _, r := range ro.Rejected {
		out.Rejected = append(out.Rejected, Rejection{titleOf(&r.UnitRef), oneLine(r.Reason), r.At})
	}
	s := &standing{now: b.now, handler: h, ro: ro, view: out, item: item}
	s.steps()
	s.tell()
	return out
}

// titleOf is how people are told of a template of a version, empty for none.
func titleOf(u *v1.UnitRef) string {
	if u == nil {
		return ""
	}
	return title(u.Version, u.RevisionNumber)
}

func title(version string, number int64) string {
	if number > 1 {
		return fmt.Sprintf("%s r%d", version, number)
	}
	return version
}

// sameRef tells that two references name the same template.
func sameRef(a, b *v1.UnitRef) bool {
	return a != nil && b != nil && a.Version == b.Version && a.RevisionNumber == b.RevisionNumber
}
