package rollout

import (
	"slices"
	"testing"

	v1 "gati.dev/gati/api/v1"
)

// TestTransitions holds the table of phases, and that no other change is possible: the
// lives of the property tests would panic.
func TestTransitions(t *testing.T) {
	const none, starting, stable, progressing, back, failed = v1.RolloutPhase(""), v1.RolloutStarting, v1.RolloutStable, v1.RolloutProgressing, v1.RolloutRollingBack, v1.RolloutFailed
	phases := []v1.RolloutPhase{none, starting, stable, progressing, back, failed}
	allowed := map[v1.RolloutPhase][]v1.RolloutPhase{
		none:        {starting, stable},
		starting:    {none, stable, progressing},
		stable:      {none, progressing, back},
		progressing: {none, stable, back, failed},
		back:        {none, stable, progressing},
		failed:      {none, stable, progressing, back},
	}
	for _, from := range phases {
		for _, to := range phases {
			m := newMachine(Input{})
			m.ro.Phase = from
			want := from == to || slices.Contains(allowed[from], to)
			if got := !panics(func() { m.setPhase(to) }) && m.ro.Phase == to; got != want {
				t.Errorf("%q → %q is possible: %v, want %v", from, to, got, want)
			}
		}
	}
}

func panics(f func()) (panicked bool) {
	defer func() { panicked = recover() != nil }()
	f()
	return false
}

// TestStrategiesBeginCompleteAndFail holds where the strategies differ: in the phase, the mode
// and the version before, in who takes weight back, and in what autoRollback has a say.
func TestStrategiesBeginCompleteAndFail(t *testing.T) {
	type state struct {
		phase            v1.RolloutPhase
		mode             v1.RolloutMode
		stable, target   string
		previous, reject bool
		last             string
	}
	for name, c := range map[string]struct {
		strategy                       v1.Strategy
		mode                           v1.RolloutMode
		begun, completed, failed, left state
	}{
		"steps": {
			v1.StrategyCanary, v1.RolloutSteps,
			state{v1.RolloutProgressing, v1.RolloutSteps, "v1", "v2", false, false, "Started"},
			state{v1.RolloutStable, "", "v2", "", true, false, "Completed"},
			state{v1.RolloutRollingBack, "", "v1", "", false, true, "RolledBack"},
			state{v1.RolloutFailed, v1.RolloutSteps, "v1", "v2", false, false, "Failed"},
		},
		"records": {
			v1.StrategyManual, v1.RolloutAtOnce,
			state{v1.RolloutStable, v1.RolloutAtOnce, "v1", "v2", false, false, "Started"},
			state{v1.RolloutStable, v1.RolloutAtOnce, "v2", "", false, false, "Completed"},
			state{v1.RolloutStable, v1.RolloutAtOnce, "v1", "v2", false, true, "Failed"},
			state{v1.RolloutStable, v1.RolloutAtOnce, "v1", "v2", false, true, "Failed"},
		},
		"in place": {
			v1.StrategyRollingUpdate, v1.RolloutInPlace,
			state{v1.RolloutProgressing, v1.RolloutInPlace, "v1", "v2", false, false, "Started"},
			state{v1.RolloutStable, v1.RolloutInPlace, "v2", "", true, false, "Completed"},
			state{v1.RolloutProgressing, v1.RolloutInPlace, "v1", "v2", false, true, "RolledBack"},
			state{v1.RolloutProgressing, v1.RolloutInPlace, "v1", "v2", false, false, "Started"},
		},
	} {
		for step, want := range map[string]state{"begun": c.begun, "completed": c.completed, "failed": c.failed, "failed without autoRollback": c.left} {
			m := newMachine(Input{Policy: Policy{Strategy: c.strategy, AutoRollback: step == "failed"}})
			m.units = []*unit{{Version: "v1", Workload: "v1", Phase: v1.VersionActive, Weight: 100}, {Version: "v2", Workload: "v2", Phase: v1.VersionActive}}
			m.ro.Stable, m.ro.Phase = m.units[0].Ref(), v1.RolloutStable
			m.beginRollout(m.ro.Stable, m.units[1].Ref(), c.mode)
			switch step {
			case "begun":
			case "completed":
				m.completeRollout(m.ro.Stable, "it is ready")
			default:
				m.failRollout(m.ro.Stable, "it is slow")
			}
			got := state{m.ro.Phase, m.ro.Mode, m.ro.Stable.Title(), m.ro.Target.Title(), m.ro.Previous != nil, len(m.ro.Rejected) > 0, m.ro.History[len(m.ro.History)-1].What}
			if got != want {
				t.Errorf("%s, %s: %+v, want %+v", name, step, got, want)
			}
		}
	}
}
