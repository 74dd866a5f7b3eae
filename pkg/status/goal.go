package status

import (
	"fmt"
	"strconv"
	"strings"

	v1 "gati.dev/gati/api/v1"
)

// Goal is what somebody waits for. The zero Goal is that nothing changes by itself
// any more, and well.
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
			return Goal{}, fmt.Errorf("%q: a step is a number from 1", text)
		}
		g.step = int32(n)
		return g, nil
	}
	return Goal{}, fmt.Errorf("%q is no goal; the goals are healthy, paused, complete, step=N and version=V", text)
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

// Outcome is how far a goal is.
type Outcome int

// The outcomes.
const (
	// Coming: it may come by itself.
	Coming Outcome = iota
	// Reached: it is so.
	Reached
	// Waiting: it comes only when somebody asks for it.
	Waiting
	// Missed: it does not come, because it has failed, gone back, or ended
	// elsewhere.
	Missed
)

// OfHandler judges a handler.
func (g Goal) OfHandler(h *Handler) Outcome {
	switch {
	case !h.Observed:
		return Coming
	case g.kind == goalStep && h.Strategy != v1.StrategyCanary:
		return Missed
	case g.reached(h):
		return Reached
	default:
		return g.otherwise(&h.Item)
	}
}

// OfModule judges a module. It has neither steps nor versions.
func (g Goal) OfModule(m *Module) Outcome {
	switch {
	case !m.Observed:
		return Coming
	case g.kind == goalStep || g.kind == goalVersion:
		return Missed
	default:
		return g.otherwise(&m.Item)
	}
}

// otherwise judges by the health alone.
func (g Goal) otherwise(item *Item) Outcome {
	switch item.Health {
	case Healthy:
		if g.kind == "" || g.kind == goalHealthy || g.kind == goalComplete {
			return Reached
		}
		return Missed // nothing goes on that could lead there
	case Paused:
		if g.kind == goalPaused {
			return Reached
		}
		return Waiting
	case Failed, RolledBack:
		return Missed
	default:
		return Coming
	}
}

// reached tells that a rollout has come to where the goal is.
func (g Goal) reached(h *Handler) bool {
	r := h.Rollout
	if r == nil {
		return false
	}
	switch g.kind {
	case goalComplete:
		return r.over() && !r.Back
	case goalStep:
		return r.over() && !r.Back || r.Step > g.step || r.Step == g.step && r.StepSince != nil
	case goalVersion:
		return g.serves(h)
	default:
		return false
	}
}

// over tells that no version takes the place of another, nor is about to.
func (r *Rollout) over() bool {
	return r.Phase == v1.RolloutStable && r.Target == "" && !r.Waits
}

// serves tells that the version has its traffic: all of it, or under Manual what
// the records ask for.
func (g Goal) serves(h *Handler) bool {
	if h.Strategy != v1.StrategyManual {
		stable, _, _ := strings.Cut(h.Rollout.Stable, " ")
		return h.Rollout.over() && (stable == g.version || h.Rollout.Stable == g.version)
	}
	for i := range h.Versions {
		v := &h.Versions[i]
		if v.Version == g.version && v.Weight > 0 && v.AcceptedWeight != nil && *v.AcceptedWeight == v.Weight {
			return true
		}
	}
	return false
}
