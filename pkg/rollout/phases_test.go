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
