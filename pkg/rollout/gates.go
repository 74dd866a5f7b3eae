package rollout

import (
	"fmt"
	"math"
	"slices"
	"time"

	v1 "gati.dev/gati/api/v1"
)

const (
	// mostRestarts is how many restarts of its containers a rollout survives.
	mostRestarts = 3
	// blackout is how long a target may have traffic and no ready pod.
	blackout = 30 * time.Second
)

// verdict is what a gate says: pass, or what it waits for.
type verdict struct {
	pass     bool
	sentence string
}

var passed = verdict{pass: true}

func wait(format string, args ...any) verdict {
	return verdict{sentence: fmt.Sprintf(format, args...)}
}

// gates are asked in this order; the first that does not pass holds the rollout.
// That the target has ready pods comes first: until then its weight is not
// raised. The rest is about the weight as it is.
var gates = []func(*machine, *unit, Step) verdict{
	podsReady,
	routeAccepted,
	pauseOver,
	analysisPassed,
}

// podsReady asks for the pods that the weight of the step needs.
func podsReady(m *machine, target *unit, step Step) verdict {
	w, seen := m.seen(target)
	need := m.neededReady(step)
	switch {
	case !seen:
		m.again(lookAgain)
		return wait("%s: its workload %s was not seen.", name(target), target.Workload)
	case w.Ready < need:
		return wait("%s has %d of the %d pods ready that %d %% need%s; the deadline is at %s.", name(target), w.Ready, need, step.Weight, trouble(w),
			m.moment(m.left(m.ro.ShortSince, m.in.Policy.ProgressDeadline)))
	case m.in.Policy.Gateway && target.Weight < step.Weight && settled(w) < need:
		return wait("%s has the %d pods ready that %d %% need, %d of them only just: gateways are given a moment to hear of them.", name(target), need, step.Weight, w.Settling)
	default:
		return passed
	}
}

// routeAccepted asks that the gateway has taken the weight.
func routeAccepted(m *machine, target *unit, step Step) verdict {
	v := m.route(true)
	if v.pass && m.ro.StepStartedAt == nil && m.ro.Mode == v1.RolloutSteps {
		m.ro.StepStartedAt = m.stamp()
	}
	if !v.pass {
		v.sentence = fmt.Sprintf("%s is given %d %%. %s", name(target), step.Weight, v.sentence)
	}
	return v
}

// pauseOver asks that the pause of the step is over. One without a length lasts
// until somebody promotes.
func pauseOver(m *machine, target *unit, step Step) verdict {
	if m.atEnd() {
		return passed
	}
	if step.Pause == 0 {
		return wait("%s has %d %% and waits until it is promoted; then %s.", name(target), step.Weight, m.whatNext())
	}
	if left := m.left(m.ro.StepStartedAt, step.Pause); left > 0 {
		return wait("%s has %d %% until %s; then %s.", name(target), step.Weight, m.moment(left), m.whatNext())
	}
	return passed
}

// failure says why a rollout must not go on, empty when it may. It is asked
// before the gates, also in a pause and also when somebody has frozen it.
func (m *machine) failure(target *unit, step Step) string {
	m.watch(target, step)
	m.analyse(target)
	for _, check := range []func(*machine, *unit, Step) string{restartsTooOften, nothingReady, tooSlow, analysisFailed} {
		if why := check(m, target, step); why != "" {
			return why
		}
	}
	return ""
}

// watch notes since when the target has had too few pods.
func (m *machine) watch(target *unit, step Step) {
	w, seen := m.seen(target)
	if !seen {
		return
	}
	m.ro.Restarts = min(m.ro.Restarts, w.Restarts)
	switch {
	case w.Ready >= m.neededReady(step):
		m.ro.ShortSince, m.ro.MostReady = nil, 0
	case m.ro.ShortSince == nil || w.Ready > m.ro.MostReady:
		m.ro.ShortSince, m.ro.MostReady = m.stamp(), max(m.ro.MostReady, w.Ready)
	}
	switch {
	case target.Weight == 0 || w.Ready > 0 || m.reference() == 0 || !m.in.Policy.Gateway:
		m.ro.DownSince = nil
	case m.ro.DownSince == nil:
		m.ro.DownSince = m.stamp()
	}
}

// restarts is what the target had before its rollout: what is seen, or where an
// old workload is not seen, what will be seen first.
func (m *machine) restarts(u *unit) int32 {
	w, seen := m.seen(u)
	old := slices.ContainsFunc(m.in.State.Versions, func(v v1.VersionStatus) bool { return v.Workload == u.Workload })
	if !seen && old {
		return math.MaxInt32 // watch takes the least.
	}
	return w.Restarts
}

func restartsTooOften(m *machine, target *unit, step Step) string {
	w, seen := m.seen(target)
	if n := w.Restarts - m.ro.Restarts; seen && n >= mostRestarts {
		return fmt.Sprintf("its containers restarted %d times, the limit is %d; %d of %d pods ready%s", n, mostRestarts, w.Ready, m.neededReady(step), trouble(w))
	}
	return ""
}

func nothingReady(m *machine, target *unit, step Step) string {
	w, seen := m.seen(target)
	if m.ro.DownSince == nil || !seen || m.left(m.ro.DownSince, min(blackout, m.in.Policy.ProgressDeadline)) > 0 {
		return ""
	}
	return fmt.Sprintf("none of its %d pods was ready for %s while it had %d %% of the traffic%s", m.neededReady(step), short(m.elapsed(m.ro.DownSince)), target.Weight, trouble(w))
}

func tooSlow(m *machine, target *unit, step Step) string {
	w, seen := m.seen(target)
	if m.ro.ShortSince == nil || !seen || m.ro.Frozen != nil || m.left(m.ro.ShortSince, m.in.Policy.ProgressDeadline) > 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d pods ready, and no more for %s, the deadline is %s%s", w.Ready, m.neededReady(step), short(m.elapsed(m.ro.ShortSince)), short(m.in.Policy.ProgressDeadline), trouble(w))
}

// pauseIsOver tells whether there was the whole step to measure in.
func (m *machine) pauseIsOver() bool {
	step := m.steps()[m.ro.Step]
	return m.atEnd() || step.Pause > 0 && m.elapsed(m.ro.StepStartedAt) >= step.Pause
}

// atEnd tells that the rollout is at its last step, where all traffic goes to the
// target.
func (m *machine) atEnd() bool { return int(m.ro.Step) == len(m.steps())-1 }
