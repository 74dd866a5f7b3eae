package rollout

import (
	"fmt"
	"math"
	"slices"
	"time"

	v1 "gati.dev/gati/api/v1"
)

const (
	// maxRestarts is how many restarts of its containers a rollout survives.
	maxRestarts = 3
	// blackout is how long a target may have traffic and no ready pod.
	blackout = 30 * time.Second
)

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
	w, seen := m.observedWorkload(target)
	need := m.neededReadyPods(step)
	switch {
	case !seen:
		m.lookAgainIn(retryInterval)
		return wait(v1.WaitingForObservation, "the workload %s of %s was not read yet", target.Workload, titleFor(target))
	case w.Ready < need:
		return wait(v1.WaitingForPods, "%s has %d of the %s that %d %% needs%s%s", titleFor(target), w.Ready, pods(need, "ready "), step.Weight, m.stepTitle(), trouble(w)).
			until(m.deadlineAfter(m.ro.ShortSince, m.in.Policy.ProgressDeadline))
	case m.in.Policy.Gateway && target.Weight < step.Weight && settled(w) < need:
		return wait(v1.WaitingForEndpoints, "%s has the %s that %d %% needs%s; gateways may not know %d of them yet", titleFor(target), pods(need, "ready "), step.Weight, m.stepTitle(), w.Settling)
	default:
		return passed
	}
}

// routeAccepted asks that the gateway has taken the weight.
func routeAccepted(m *machine, target *unit, step Step) verdict {
	v := m.checkRoute(true)
	if !v.pass() {
		return v.after("%s is set to %d %%%s", titleFor(target), step.Weight, m.stepTitle())
	}
	if m.ro.StepStartedAt == nil && m.ro.Mode == v1.RolloutSteps {
		m.ro.StepStartedAt = m.stampNow()
	}
	return passed
}

// pauseOver asks that the pause of the step is over. One without a length lasts
// until a user promotes.
func pauseOver(m *machine, target *unit, step Step) verdict {
	if m.isAtEnd() {
		return passed
	}
	if step.Pause == 0 {
		return wait(v1.WaitingForPromotion, "%s has %d %%%s until it is promoted; %s", titleFor(target), step.Weight, m.stepTitle(), m.nextStep())
	}
	if m.timeLeft(m.ro.StepStartedAt, step.Pause) > 0 {
		return wait(v1.WaitingForPause, "%s has %d %%%s; %s", titleFor(target), step.Weight, m.stepTitle(), m.nextStep()).
			until(m.deadlineAfter(m.ro.StepStartedAt, step.Pause))
	}
	return passed
}

// findFailure returns why a rollout must not go on, empty when it may. It is asked
// before the gates, also in a pause and while a user has paused the rollout.
func (m *machine) findFailure(target *unit, step Step) string {
	m.watchPods(target, step)
	m.updateAnalysis(target)
	for _, check := range []func(*machine, *unit, Step) string{restartsTooOften, nothingReady, tooSlow, analysisFailed} {
		if why := check(m, target, step); why != "" {
			return why
		}
	}
	return ""
}

// watchPods notes since when the target has had too few pods.
func (m *machine) watchPods(target *unit, step Step) {
	w, seen := m.observedWorkload(target)
	if !seen {
		return
	}
	m.ro.Restarts = min(m.ro.Restarts, w.Restarts)
	switch {
	case w.Ready >= m.neededReadyPods(step):
		m.ro.ShortSince, m.ro.MostReady = nil, 0
	case m.ro.ShortSince == nil || w.Ready > m.ro.MostReady:
		m.ro.ShortSince, m.ro.MostReady = m.stampNow(), max(m.ro.MostReady, w.Ready)
	}
	switch {
	case target.Weight == 0 || w.Ready > 0 || m.referenceReplicas() == 0 || !m.in.Policy.Gateway:
		m.ro.DownSince = nil
	case m.ro.DownSince == nil:
		m.ro.DownSince = m.stampNow()
	}
}

// countRestarts records the target's restarts before its rollout: what is seen, or where an
// old workload is not seen, what will be seen first.
func (m *machine) countRestarts(u *unit) int32 {
	w, seen := m.observedWorkload(u)
	old := slices.ContainsFunc(m.in.State.Versions, func(v v1.VersionStatus) bool { return v.Workload == u.Workload })
	if !seen && old {
		return math.MaxInt32 // watchPods takes the least.
	}
	return w.Restarts
}

func restartsTooOften(m *machine, target *unit, step Step) string {
	w, seen := m.observedWorkload(target)
	if n := w.Restarts - m.ro.Restarts; seen && n >= maxRestarts {
		return fmt.Sprintf("its containers restarted %d times (limit %d); %d of %d pods ready%s", n, maxRestarts, w.Ready, m.neededReadyPods(step), trouble(w))
	}
	return ""
}

func nothingReady(m *machine, target *unit, step Step) string {
	w, seen := m.observedWorkload(target)
	if m.ro.DownSince == nil || !seen || m.timeLeft(m.ro.DownSince, min(blackout, m.in.Policy.ProgressDeadline)) > 0 {
		return ""
	}
	return fmt.Sprintf("none of its %d pods was ready for %s while it had %d %% of the traffic%s", m.neededReadyPods(step), formatDuration(m.elapsedSince(m.ro.DownSince)), target.Weight, trouble(w))
}

func tooSlow(m *machine, target *unit, step Step) string {
	w, seen := m.observedWorkload(target)
	if m.ro.ShortSince == nil || !seen || m.ro.Frozen != nil || m.timeLeft(m.ro.ShortSince, m.in.Policy.ProgressDeadline) > 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d pods ready; no progress for %s (deadline %s)%s", w.Ready, m.neededReadyPods(step), formatDuration(m.elapsedSince(m.ro.ShortSince)), formatDuration(m.in.Policy.ProgressDeadline), trouble(w))
}

// isPauseOver reports whether the whole pause was there to measure in.
func (m *machine) isPauseOver() bool {
	step := m.rolloutSteps()[m.ro.Step]
	return m.isAtEnd() || step.Pause > 0 && m.elapsedSince(m.ro.StepStartedAt) >= step.Pause
}

// isAtEnd reports whether the rollout is at its last step, where all traffic goes to the
// target.
func (m *machine) isAtEnd() bool { return int(m.ro.Step) == len(m.rolloutSteps())-1 }
