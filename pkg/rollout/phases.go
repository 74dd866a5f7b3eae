package rollout

import (
	"fmt"
	"slices"

	v1 "gati.dev/gati/api/v1"
)

// maxTurns bounds how often one decision may move on: each turn ends a step or a
// phase, and there are at most 20 steps.
const maxTurns = 32

// transitions has the changes of phase that are allowed. Without a stable unit there
// is no phase, which is where a handler begins and where it is after losing that unit.
var transitions = map[v1.RolloutPhase][]v1.RolloutPhase{
	"":                    {v1.RolloutStarting, v1.RolloutStable},
	v1.RolloutStarting:    {v1.RolloutStable, v1.RolloutProgressing, ""},
	v1.RolloutStable:      {v1.RolloutProgressing, v1.RolloutRollingBack, ""},
	v1.RolloutProgressing: {v1.RolloutStable, v1.RolloutRollingBack, v1.RolloutFailed, ""},
	v1.RolloutRollingBack: {v1.RolloutStable, v1.RolloutProgressing, ""},
	v1.RolloutFailed:      {v1.RolloutProgressing, v1.RolloutRollingBack, v1.RolloutStable, ""},
}

// setPhase changes the phase; nothing else does. A change that transitions does not
// have is a fault of the machine: it panics, so that nothing of it is acted upon.
func (m *machine) setPhase(next v1.RolloutPhase) {
	if next == m.ro.Phase {
		return
	}
	if !slices.Contains(transitions[m.ro.Phase], next) {
		panic(fmt.Sprintf("rollout: no transition from phase %q to %q", m.ro.Phase, next))
	}
	m.ro.Phase = next
}

// phaseSteps has the step of each phase. A step reports whether there is more to do.
var phaseSteps map[v1.RolloutPhase]func(*machine) bool

func init() {
	phaseSteps = map[v1.RolloutPhase]func(*machine) bool{
		"":                    (*machine).startFirst,
		v1.RolloutStarting:    (*machine).runStarting,
		v1.RolloutStable:      (*machine).runStable,
		v1.RolloutProgressing: (*machine).runProgressing,
		v1.RolloutRollingBack: (*machine).runRollingBack,
		v1.RolloutFailed:      (*machine).runFailed,
	}
}

// runPhases lets the phases act until none has more to do.
func (m *machine) runPhases() {
	m.repairState()
	for range maxTurns {
		m.ensureDeclared()
		m.ro.WaitingFor = nil
		step := phaseSteps[m.ro.Phase]
		if m.isManual() {
			step = (*machine).runManual
		}
		if !step(m) {
			return
		}
		m.gateway.exposeWeights()
	}
}

// normalizePhase corrects the phase of a status that was lost or edited.
func (m *machine) normalizePhase() {
	switch {
	case m.ro.Stable == nil:
		m.ro.Phase = ""
	case m.ro.Phase == "":
		m.ro.Phase = v1.RolloutStable
	}
}
