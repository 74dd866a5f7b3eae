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

// strategy has the differences of the strategies where a rollout begins, completes and
// fails.
type strategy struct {
	// hasWorkload: the target has a workload of its own, beside that of the version before.
	hasWorkload bool
	// becomesStable: the target is the stable version to be, and the phase is that of its
	// rollout. Otherwise both follow from the weights.
	becomesStable bool
	// movesWeight: the steps decide the weights, so a failure has to take them back.
	movesWeight bool
	// failure is the event of a failure that takes no weight back.
	failure string
}

var (
	stepwise  = strategy{hasWorkload: true, becomesStable: true, movesWeight: true}
	byRecords = strategy{hasWorkload: true, failure: "Failed"}
	inPlace   = strategy{becomesStable: true, failure: "RolledBack"}
)

// findStrategy returns the strategy of the running rollout.
func (r *roster) findStrategy() strategy {
	switch {
	case r.isManual():
		return byRecords
	case r.ro.Mode == v1.RolloutInPlace:
		return inPlace
	default:
		return stepwise
	}
}

// beginFirst starts a template that nothing serves before: without steps, and in place of
// another one that serves nothing yet.
func (m *machine) beginFirst(from, to *v1.UnitRef, why string) {
	m.setPhase(v1.RolloutStarting)
	m.ro.Stable, m.ro.StartedAt = to, m.stampNow()
	if from == nil {
		m.recordFirst(to)
		return
	}
	m.recordEvent(machineName, "Started", from.Title(), to.Title(), why)
}

// beginRollout starts to let a template take the place of another one.
func (m *machine) beginRollout(from, to *v1.UnitRef, mode v1.RolloutMode) {
	m.takeTarget(to, mode)
	m.recordEvent(machineName, "Started", from.Title(), to.Title(), "")
}

// takeTarget makes a template the target of a rollout that has done nothing yet.
func (m *machine) takeTarget(to *v1.UnitRef, mode v1.RolloutMode) {
	m.ro.Target, m.ro.Mode, m.ro.StartedAt = to, mode, m.stampNow()
	m.resetStep()
	s := m.findStrategy()
	if s.becomesStable {
		m.setPhase(v1.RolloutProgressing)
	}
	if s.hasWorkload {
		m.capacity.holdReference()
		m.pods.startRestarts(m.findUnit(to))
		m.ro.Step, m.ro.Planned, m.ro.Analysis, m.ro.Advice, m.ro.Checks = 0, nil, m.judging.beginDerived(), nil, nil
	}
}

// completeRollout makes the target replace the earlier version.
func (m *machine) completeRollout(from *v1.UnitRef, why string) {
	s, before, to := m.findStrategy(), m.findUnit(from), m.ro.Target
	if s.hasWorkload {
		before.SupersededAt, m.findUnit(to).SupersededAt = m.stampNow(), nil
	}
	if s.becomesStable && !from.SameTemplate(to) {
		m.ro.Previous = from
	}
	if s.becomesStable || m.isUnit(before, m.ro.Stable) {
		m.ro.Stable = to
	}
	m.dropTarget()
	m.resetStep()
	if s.movesWeight {
		m.ro.Mode, m.ro.Step = "", 0
	}
	if s.becomesStable {
		m.setPhase(v1.RolloutStable)
	}
	m.recordEvent(machineName, "Completed", from.Title(), to.Title(), why)
}

// failRollout ends a rollout that must not go on. Without autoRollback one that was to
// replace the stable version stays where it is; a share that a record asks for never moved.
func (m *machine) failRollout(from *v1.UnitRef, why string) {
	s, target := m.findStrategy(), m.findUnit(m.ro.Target)
	switch {
	case m.in.Policy.AutoRollback || !s.becomesStable:
		if !s.movesWeight {
			m.recordWarning(machineName, s.failure, m.ro.Target.Title(), from.Title(), why)
		}
		m.rejectTarget(machineName, why)
	case s.movesWeight:
		m.setPhase(v1.RolloutFailed)
		m.ro.Failure = why
		m.recordWarning(machineName, "Failed", titleFor(target)+" "+m.traffic.describeShare(target, target.Weight), "", why)
	default:
		m.stalled = true
	}
}

// rejectTarget remembers that the target is not tried again. Where no weight has to be taken
// back, the strategy leaves a rejected target by itself.
func (m *machine) rejectTarget(by, why string) {
	m.rejectUnit(m.ro.Target, why)
	if m.findStrategy().movesWeight {
		m.startRollback(m.findUnit(m.ro.Target), by, "RolledBack", why)
	}
}

// startRollback gives the stable version its traffic again.
func (m *machine) startRollback(target *unit, by, what, why string) {
	stable := m.findUnit(m.ro.Stable)
	from := target.Weight
	m.setPhase(v1.RolloutRollingBack)
	m.leaveTarget()
	m.checks.stopChecks("the rollout ended")
	m.capacity.holdReference()
	m.recordWarning(by, what, describeShare(titleFor(target), from), describeShare(titleFor(stable), 100), why)
}

// beginReturn replaces the pods of a target by those of the stable version again.
func (m *machine) beginReturn(from, stable *v1.UnitRef) {
	m.setPhase(v1.RolloutRollingBack)
	m.dropTarget()
	m.ro.Stable, m.ro.StartedAt = stable, m.stampNow()
	m.recordEvent(machineName, "Started", from.Title(), stable.Title(), "")
}

// leaveTarget ends a rollout where it is.
func (m *machine) leaveTarget() {
	m.ro.Target, m.ro.Mode, m.ro.Step, m.ro.Failure = nil, "", 0, ""
	m.resetStep()
}

// dropTarget forgets a target that is none any more.
func (m *machine) dropTarget() { m.ro.Target = nil }

// adoptTarget makes the target the stable version.
func (m *machine) adoptTarget() {
	if m.ro.Target != nil {
		m.ro.Stable, m.ro.Target = m.ro.Target, nil
	}
	if m.ro.Phase != v1.RolloutStarting {
		m.setPhase(v1.RolloutStable)
	}
	m.ro.Mode = ""
}

// resetStep drops the state of the previous rollout and of its step.
func (m *machine) resetStep() {
	m.ro.DownSince = nil
	m.beginStep()
}

// beginStep drops the state of the previous step. A version that is down stays so.
func (m *machine) beginStep() {
	m.ro.StepStartedAt, m.ro.ShortSince, m.ro.ObstructedSince, m.ro.MostReady = nil, nil, nil, 0
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
