package rollout

import (
	"slices"
	"time"

	"k8s.io/utils/ptr"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/defaulting"
)

// Policy has the settings of a resolved spec for rollouts.
type Policy struct {
	Strategy v1.Strategy
	Steps    []Step
	// Harm is the number of bad requests within which a fault shows in the first step, where
	// the steps are planned by the traffic; 0 where they are those of the spec.
	Harm             int32
	ProgressDeadline time.Duration
	RollbackWindow   time.Duration
	AutoRollback     bool
	// Replicas is the number of pods that the spec asks for, or under an
	// autoscaler the number to start with; Min is the autoscaler's least.
	Replicas   int32
	Autoscaled bool
	Min        int32
	// MayIdle reports whether KEDA may take the last pod of a version without weight.
	MayIdle bool
	// Gateway reports whether an HTTPRoute moves the traffic. Without one, the numbers
	// of pods do. OnlyPath reports whether all callers come through it.
	Gateway       bool
	OnlyPath      bool
	DrainWindow   time.Duration
	DrainDeadline time.Duration
	// ColdAfter is how long a version that lives by its header alone may go without a
	// request.
	ColdAfter time.Duration
	// Warm is how many pods the version that was stable before keeps.
	Warm int32
	// Pool is how many spare pods the target of steps keeps beyond those that it needs.
	Pool int32
	// Analysis is nil where nothing judges the traffic.
	Analysis *AnalysisPolicy
	// Checks are the Jobs that a Canary's new version is held to.
	Checks    []Check
	MinAge    time.Duration
	MinActive int
	// HistoryLimit is how many versions that are over the status keeps in any case.
	HistoryLimit  int
	ProtectedTags []string
	// Contract is the version that the spec names as the contract; empty where it names
	// none.
	Contract string
}

// Step is one step of a Canary. Without a pause it lasts until promoted.
type Step struct {
	Weight int32
	Pause  time.Duration
}

// defaultSteps are those of a Canary that names none.
var defaultSteps = []Step{{10, 5 * time.Minute}, {50, 10 * time.Minute}}

// PolicyFor returns the policy of a resolved handler.
func PolicyFor(h defaulting.Handler) Policy {
	r, v := h.Spec.Rollout, h.Spec.Versions
	p := Policy{
		Strategy:         r.Strategy,
		ProgressDeadline: r.ProgressDeadline.OrDefault(v1.DefaultProgressDeadline),
		RollbackWindow:   r.RollbackWindow.OrDefault(v1.DefaultRollbackWindow),
		AutoRollback:     *r.AutoRollback,
		Replicas:         h.Scale.Replicas,
		Autoscaled:       h.Scale.Auto,
		Min:              h.Scale.Min,
		Gateway:          h.Spec.Route != nil,
		OnlyPath:         h.Spec.Route != nil && ptr.Deref(h.Spec.Route.OnlyPath, false),
		DrainWindow:      v.Drain.Window.OrDefault(v1.DefaultDrainWindow),
		DrainDeadline:    v.Drain.Deadline.OrDefault(v1.DefaultDrainDeadline),
		ColdAfter:        v.ColdAfter.OrDefault(v1.DefaultColdAfter),
		Analysis:         analysisFor(r),
		MinAge:           v.MinAge.OrDefault(v1.DefaultMinAge),
		MinActive:        int(*v.MinActive),
		HistoryLimit:     int(*v.HistoryLimit),
		Contract:         string(h.Spec.Contract),
	}
	p.Steps, p.Checks = stepsFor(r.Steps), checksFor(r)
	if r.AutoSteps != nil && p.Analysis != nil {
		p.Harm = *r.AutoSteps.Harm
	}
	if k := h.Scale.Keda; k != nil && k.ScaleToZero != nil {
		p.MayIdle = *k.ScaleToZero && p.Gateway
	}
	if a := h.Spec.Autoscaling; a != nil && p.Gateway {
		p.Warm, p.Pool = ptr.Deref(a.WarmReplicas, 0), ptr.Deref(a.WarmPool, 0)
	}
	for _, t := range v.ProtectedTags {
		p.ProtectedTags = append(p.ProtectedTags, string(t))
	}
	return p
}

// StepsIn returns the steps of a handler's rollout: those that were planned, or of its spec.
func StepsIn(h *v1.GatiHandler) []Step {
	r := h.Spec.Rollout
	if r == nil {
		return StepsFor(nil)
	}
	if steps := stepsPlanned(h.Status.Rollout); r.AutoSteps != nil && len(steps) > 0 {
		return withEnd(steps)
	}
	return StepsFor(r.Steps)
}

// StepsFor returns the steps that a Canary with these steps in its spec takes. The
// last one is the end: all traffic, no pause.
func StepsFor(spec []v1.RolloutStep) []Step { return withEnd(stepsFor(spec)) }

func stepsFor(spec []v1.RolloutStep) []Step {
	var steps []Step
	for _, s := range spec {
		steps = append(steps, Step{s.Weight, s.Pause.Or(0)})
	}
	return steps
}

// AllSteps returns the steps that a Canary takes: the last one is the end.
func (p *Policy) AllSteps() []Step { return withEnd(p.Steps) }

// StepsOf returns the steps of a rollout: those that were planned for it, or of the spec.
func (p *Policy) StepsOf(ro *v1.RolloutStatus) []Step {
	if steps := stepsPlanned(ro); p.Harm > 0 && len(steps) > 0 {
		return withEnd(steps)
	}
	return p.AllSteps()
}

// JudgingTime returns how long a step waits for requests.
func (p *Policy) JudgingTime(s Step) time.Duration { return max(s.Pause, p.ProgressDeadline) }

// theEnd is the last step of every rollout.
var theEnd = Step{Weight: 100}

func withEnd(steps []Step) []Step {
	if steps = slices.Clone(steps); len(steps) == 0 {
		steps = slices.Clone(defaultSteps)
	}
	if last := steps[len(steps)-1]; last == theEnd {
		steps = steps[:len(steps)-1]
	}
	return append(steps, theEnd)
}

// stepAt returns the step that a weight stands for: the last one that asks for
// no more.
func stepAt(steps []Step, weight int32) int32 {
	at := 0
	for i, s := range steps {
		if s.Weight <= weight {
			at = i
		}
	}
	if at == len(steps)-1 && at > 0 && steps[at-1].Weight == 100 {
		at-- // The pause at 100 % comes before the end.
	}
	return int32(at)
}
