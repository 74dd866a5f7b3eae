package status

import (
	"fmt"
	"strconv"
	"strings"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/printable"
	"gati.dev/gati/pkg/rollout"
)

// Goal is a condition to wait for. The zero Goal is Settled: no change is pending and
// the object is healthy.
type Goal struct {
	kind    string
	step    int32
	version string
}

// The goals, as they are written.
const (
	goalHealthy  = "healthy"
	goalPaused   = "paused"
	goalComplete = "complete"
	goalStep     = "step"
	goalVersion  = "version"
)

// Goals are all of them, for help and completion.
var Goals = []string{goalHealthy, goalPaused, goalComplete, goalStep + "=", goalVersion + "="}

// ParseGoal reads a goal.
func ParseGoal(text string) (Goal, error) {
	kind, value, has := strings.Cut(text, "=")
	g := Goal{kind: kind}
	switch {
	case kind == goalHealthy || kind == goalPaused || kind == goalComplete:
		if !has {
			return g, nil
		}
	case kind == goalVersion && value != "":
		g.version = value
		return g, nil
	case kind == goalStep:
		n, err := strconv.ParseInt(value, 10, 32)
		if err != nil || n < 1 {
			return Goal{}, fmt.Errorf("%q: a step is a number from 1 on", text)
		}
		g.step = int32(n)
		return g, nil
	}
	return Goal{}, fmt.Errorf("%q: must be healthy, paused, complete, step=N or version=V", text)
}

// String writes the goal as it is read.
func (g Goal) String() string {
	switch g.kind {
	case goalStep:
		return fmt.Sprintf("%s=%d", g.kind, g.step)
	case goalVersion:
		return g.kind + "=" + g.version
	default:
		return g.kind
	}
}

// Outcome is the distance to a goal.
type Outcome int

// The outcomes.
const (
	// Coming: it may still be reached without a request.
	Coming Outcome = iota
	// Reached: the condition holds.
	Reached
	// Waiting: a request is needed first.
	Waiting
	// Missed: it cannot be reached, because the rollout failed, was rolled back, or
	// ended elsewhere.
	Missed
)

// JudgeHandler returns the outcome for a handler.
func (g Goal) JudgeHandler(h *Handler) Outcome {
	switch {
	case g.Beyond(h) != "":
		return Missed
	case !h.Observed:
		return Coming
	case g.kind == goalStep && h.Strategy != v1.StrategyCanary:
		return Missed
	case g.isReached(h):
		return Reached
	case h.Health == Degraded && h.Rollout != nil && h.Rollout.isHeld():
		return Waiting
	default:
		return g.judgeHealth(&h.Item)
	}
}

// Beyond returns why no rollout of the handler's spec can ever reach the goal, empty if
// one can.
func (g Goal) Beyond(h *Handler) string {
	steps := h.countSteps()
	if steps == 0 || g.step <= steps {
		return ""
	}
	return "the rollout has " + printable.Count(steps, "step")
}

// countSteps returns how many steps a rollout of the spec has, whether or not one runs; 0
// without steps.
func (h *Handler) countSteps() int32 {
	if h.Strategy != v1.StrategyCanary || h.Predictor == nil {
		return 0
	}
	return int32(len(rollout.StepsIn(h.Predictor.handler)))
}

// JudgeModule returns the outcome for a module, which has no steps or versions.
func (g Goal) JudgeModule(m *Module) Outcome {
	switch {
	case !m.Observed:
		return Coming
	case g.kind == goalStep || g.kind == goalVersion:
		return Missed
	default:
		return g.judgeHealth(&m.Item)
	}
}

// judgeHealth returns the outcome by the health alone.
func (g Goal) judgeHealth(item *Item) Outcome {
	switch item.Health {
	case Healthy:
		if g.kind == "" || g.kind == goalHealthy || g.kind == goalComplete {
			return Reached
		}
		return Missed // no running rollout could lead there
	case Paused:
		if g.kind == goalPaused {
			return Reached
		}
		return Waiting
	case Failed, Invalid, RolledBack:
		return Missed
	default:
		return Coming
	}
}

// isReached reports whether a rollout has reached the goal.
func (g Goal) isReached(h *Handler) bool {
	r := h.Rollout
	if r == nil {
		return false
	}
	switch g.kind {
	case goalComplete:
		return r.isOver() && !r.Back
	case goalStep:
		return r.isOver() && !r.Back || r.Step > g.step || r.Step == g.step && r.StepSince != nil
	case goalVersion:
		return g.isServed(h)
	default:
		return false
	}
}

// isOver reports whether no rollout is running or waiting to start.
func (r *Rollout) isOver() bool {
	return r.Phase == v1.RolloutStable && r.Target == "" && !r.Waits
}

// isServed reports whether the version has its traffic: all of it, or under Manual
// the share requested by the version records.
func (g Goal) isServed(h *Handler) bool {
	if h.Strategy != v1.StrategyManual {
		stable := h.Rollout.Units.Stable
		return h.Rollout.isOver() && stable != nil && (stable.Version == g.version || stable.Title() == g.version)
	}
	for i := range h.Versions {
		v := &h.Versions[i]
		if v.Version == g.version && v.Weight > 0 && v.AcceptedWeight != nil && *v.AcceptedWeight == v.Weight {
			return true
		}
	}
	return false
}
