package rollout

import (
	"fmt"
	"math"
	"slices"
	"time"

	v1 "gati.dev/gati/api/v1"
)

const (
	// minRestarts is the fewest restarts within restartWindow that fail a rollout.
	minRestarts = 3
	// restartWindow is how long a restart counts.
	restartWindow = 10 * time.Minute
	// blackout is how long a target may have traffic and no ready pod.
	blackout = 30 * time.Second
)

// findFailure returns why a rollout must not go on, empty when it may. It is asked
// before the gates, also in a pause and while a user has paused the rollout.
func (m *machine) findFailure(target *unit, step Step) string {
	m.watchPods(target, step)
	m.updateAnalysis(target)
	m.updateChecks(target)
	for _, check := range []func(*machine, *unit, Step) string{restartsTooOften, nothingReady, tooSlow, lacksTransformers, analysisFailed, checksFailed} {
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
	m.watchRestarts(w)
	m.watchProgress(w, w.Ready, w.Ready >= m.traffic.neededReadyPods(step))
	switch {
	case target.Weight == 0 || w.Ready > 0 || m.referenceReplicas() == 0 || !m.in.Policy.Gateway:
		m.ro.DownSince = nil
	case m.ro.DownSince == nil:
		m.ro.DownSince = m.stampNow()
	}
}

// watchProgress notes since when a workload is short of pods and comes no closer. An
// obstacle that any version would meet counts apart: after it the version has its whole
// deadline.
func (m *machine) watchProgress(w Workload, progress int32, done bool) {
	cleared := !w.Obstructed && m.ro.ObstructedSince != nil
	switch {
	case done || !w.Obstructed:
		m.ro.ObstructedSince = nil
	case m.ro.ObstructedSince == nil:
		m.ro.ObstructedSince = m.stampNow()
	}
	switch {
	case done:
		m.ro.ShortSince, m.ro.MostReady = nil, 0
	case m.ro.ShortSince == nil || cleared || progress > m.ro.MostReady:
		m.ro.ShortSince, m.ro.MostReady = m.stampNow(), max(m.ro.MostReady, progress)
	}
}

// isOverdue reports whether the pods of a version had their time. What any version would
// meet stalls the rollout instead.
func (m *machine) isOverdue(w Workload) bool {
	if m.ro.Frozen != nil {
		return false
	}
	length := m.in.Policy.ProgressDeadline
	if w.Obstructed {
		m.stalled = m.stalled || m.ro.ObstructedSince != nil && m.timeLeft(m.ro.ObstructedSince, length) == 0
		return false
	}
	return m.ro.ShortSince != nil && m.timeLeft(m.ro.ShortSince, length) == 0
}

// podsDeadline returns when missing pods fail or stall the rollout.
func (m *machine) podsDeadline(v verdict) verdict {
	since := m.ro.ShortSince
	if m.ro.ObstructedSince != nil {
		since = m.ro.ObstructedSince
	}
	return v.untilTime(m.deadlineAfter(since, m.in.Policy.ProgressDeadline))
}

// startRestarts begins to count the target's restarts: from the observed number, or for an
// unobserved workload from the first number.
func (m *machine) startRestarts(target *unit) {
	w, seen := m.observedWorkload(target)
	old := slices.ContainsFunc(m.in.State.Versions, func(v v1.VersionStatus) bool { return v.Workload == target.Workload })
	m.ro.Restarts, m.ro.RestartsSince = w.Restarts, nil
	if !seen && old {
		m.ro.Restarts = math.MaxInt32 // watchRestarts takes the least.
	}
}

// watchRestarts notes since when restarts are counted: the first one, or when the window
// of those before was over.
func (m *machine) watchRestarts(w Workload) {
	over := m.elapsedSince(m.ro.RestartsSince) >= restartWindow && !m.restartsExceed(w)
	switch {
	case w.Restarts <= m.ro.Restarts || over:
		m.ro.Restarts, m.ro.RestartsSince = w.Restarts, nil
	case m.ro.RestartsSince == nil:
		m.ro.RestartsSince = m.stampNow()
	}
}

// restartsExceed reports whether the pods of a workload restart too often: each once
// within the window, on average, and not fewer than minRestarts in all.
func (m *machine) restartsExceed(w Workload) bool {
	counted := int64(w.Restarts) - int64(m.ro.Restarts)
	length := max(restartWindow, m.elapsedSince(m.ro.RestartsSince))
	return counted*int64(restartWindow/time.Second) >= int64(maxRestarts(w))*int64(length/time.Second)
}

// maxRestarts is how many restarts within the window fail a rollout.
func maxRestarts(w Workload) int32 { return max(minRestarts, w.Wanted) }

func restartsTooOften(m *machine, target *unit, step Step) string {
	w, seen := m.observedWorkload(target)
	if !seen || !m.restartsExceed(w) {
		return ""
	}
	length := max(restartWindow, m.elapsedSince(m.ro.RestartsSince))
	return fmt.Sprintf("its containers restarted %d times within %s (limit %d for %s); %d of %d pods ready%s",
		w.Restarts-m.ro.Restarts, formatDuration(length), maxRestarts(w), countPods(w.Wanted, ""), w.Ready, m.traffic.neededReadyPods(step), describeTrouble(w))
}

func nothingReady(m *machine, target *unit, step Step) string {
	if w, _ := m.observedWorkload(target); w.Obstructed {
		return ""
	}
	return m.findBlackout(target, step)
}

// findInterruption returns why a target has to give its traffic back although it has not
// failed: it begins again as soon as the cluster lets it.
func (m *machine) findInterruption(target *unit, step Step) string {
	if w, _ := m.observedWorkload(target); !w.Obstructed || !m.in.Policy.AutoRollback {
		return ""
	}
	return m.findBlackout(target, step)
}

// findBlackout returns for how long a target has had traffic and no ready pod; empty where
// that is not too long.
func (m *machine) findBlackout(target *unit, step Step) string {
	w, seen := m.observedWorkload(target)
	if m.ro.DownSince == nil || !seen || m.timeLeft(m.ro.DownSince, min(blackout, m.in.Policy.ProgressDeadline)) > 0 {
		return ""
	}
	return fmt.Sprintf("none of its %d pods was ready for %s while it had %d %% of the traffic%s", m.traffic.neededReadyPods(step), formatDuration(m.elapsedSince(m.ro.DownSince)), target.Weight, describeTrouble(w))
}

func tooSlow(m *machine, target *unit, step Step) string {
	w, seen := m.observedWorkload(target)
	if !seen || !m.isOverdue(w) {
		return ""
	}
	return fmt.Sprintf("%d of %d pods ready; %s%s", w.Ready, m.traffic.neededReadyPods(step), m.noProgress(), describeTrouble(w))
}

// noProgress says for how long no pod became ready.
func (m *machine) noProgress() string {
	return fmt.Sprintf("no progress for %s (deadline %s)", formatDuration(m.elapsedSince(m.ro.ShortSince)), formatDuration(m.in.Policy.ProgressDeadline))
}
