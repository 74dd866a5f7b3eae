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

// podWatch notes since when the pods of a rollout are short, down or restart, and decides
// whether that fails it.
type podWatch struct {
	*roster
	*clock
	*journal
	traffic traffic
	// before has the versions as they were read.
	before []v1.VersionStatus
}

// watchPods notes since when the target has had too few pods.
func (p podWatch) watchPods(target *unit, step Step) {
	w, seen := p.observedWorkload(target)
	if !seen {
		return
	}
	p.watchRestarts(w)
	p.watchStep(w)
	p.watchProgress(w, w.Ready, w.Ready >= p.traffic.neededReadyPods(step))
	switch {
	case !p.policy.Gateway || !p.isOut(target) && !p.isOut(p.findUnit(p.ro.Stable)):
		p.ro.DownSince = nil
	case p.ro.DownSince == nil:
		p.ro.DownSince = p.stampNow()
	}
}

// watchProgress notes since when a workload is short of pods and comes no closer. An
// obstacle that any version would meet counts apart: after it the version has its whole
// deadline.
func (p podWatch) watchProgress(w Workload, progress int32, done bool) {
	cleared := !w.Obstructed && p.ro.ObstructedSince != nil
	switch {
	case done || !w.Obstructed:
		p.ro.ObstructedSince = nil
	case p.ro.ObstructedSince == nil:
		p.ro.ObstructedSince = p.stampNow()
	}
	switch {
	case done:
		p.ro.ShortSince, p.ro.MostReady = nil, 0
	case p.ro.ShortSince == nil || cleared || progress > p.ro.MostReady:
		p.ro.ShortSince, p.ro.MostReady = p.stampNow(), max(p.ro.MostReady, progress)
	}
}

// isOverdue reports whether the pods of a version had their time. What any version would
// meet stalls the rollout instead.
func (p podWatch) isOverdue(w Workload) bool {
	if p.ro.Frozen != nil {
		return false
	}
	length := p.policy.ProgressDeadline
	if w.Obstructed {
		p.stalled = p.stalled || p.ro.ObstructedSince != nil && p.timeLeft(p.ro.ObstructedSince, length) == 0
		return false
	}
	return p.ro.ShortSince != nil && p.timeLeft(p.ro.ShortSince, length) == 0
}

// podsDeadline returns when missing pods fail or stall the rollout.
func (p podWatch) podsDeadline(v verdict) verdict {
	since := p.ro.ShortSince
	if p.ro.ObstructedSince != nil {
		since = p.ro.ObstructedSince
	}
	return v.untilTime(p.deadlineAfter(since, p.policy.ProgressDeadline))
}

// startRestarts begins to count the target's restarts: from the observed number, or for an
// unobserved workload from the first number.
func (p podWatch) startRestarts(target *unit) {
	w, seen := p.observedWorkload(target)
	old := slices.ContainsFunc(p.before, func(v v1.VersionStatus) bool { return v.Workload == target.Workload })
	p.ro.Restarts, p.ro.RestartsSince = w.Restarts, nil
	if !seen && old {
		p.ro.Restarts = math.MaxInt32 // watchRestarts takes the least.
	}
}

// watchRestarts notes since when restarts are counted: the first one, or when the window
// of those before was over.
func (p podWatch) watchRestarts(w Workload) {
	over := p.elapsedSince(p.ro.RestartsSince) >= restartWindow && !p.restartsExceed(w)
	switch {
	case w.Restarts <= p.ro.Restarts || over:
		p.ro.Restarts, p.ro.RestartsSince = w.Restarts, nil
	case p.ro.RestartsSince == nil:
		p.ro.RestartsSince = p.stampNow()
	}
}

// watchStep begins a step again with each restart: its pause passes without one.
func (p podWatch) watchStep(w Workload) {
	if p.ro.StepStartedAt != nil && w.Restarts > p.ro.StepRestarts {
		p.ro.StepStartedAt = p.stampNow()
	}
	p.ro.StepRestarts = w.Restarts
}

// restartsExceed reports whether the pods of a workload restart too often: each once
// within the window, on average, and not fewer than minRestarts in all.
func (p podWatch) restartsExceed(w Workload) bool {
	counted := int64(w.Restarts) - int64(p.ro.Restarts)
	length := max(restartWindow, p.elapsedSince(p.ro.RestartsSince))
	return counted*int64(restartWindow/time.Second) >= int64(maxRestarts(w))*int64(length/time.Second)
}

// maxRestarts is how many restarts within the window fail a rollout.
func maxRestarts(w Workload) int32 { return max(minRestarts, w.Wanted) }

// findFailure returns why the pods of a target fail its rollout; empty where they do not.
func (p podWatch) findFailure(target *unit, step Step) string {
	w, seen := p.observedWorkload(target)
	if !seen {
		return ""
	}
	if p.restartsExceed(w) {
		return p.describeRestarts(w, step)
	}
	if !w.Obstructed {
		if why := p.findBlackout(target, step); why != "" {
			return why
		}
	}
	if p.isOverdue(w) {
		return fmt.Sprintf("%d of %d pods ready; %s%s", w.Ready, p.traffic.neededReadyPods(step), p.noProgress(), describeTrouble(w))
	}
	return ""
}

func (p podWatch) describeRestarts(w Workload, step Step) string {
	length := max(restartWindow, p.elapsedSince(p.ro.RestartsSince))
	return fmt.Sprintf("its containers restarted %d times within %s (limit %d for %s); %d of %d pods ready%s",
		w.Restarts-p.ro.Restarts, formatDuration(length), maxRestarts(w), countPods(w.Wanted, ""), w.Ready, p.traffic.neededReadyPods(step), describeTrouble(w))
}

// findInterruption returns why a target has to give its traffic back although it has not
// failed: it begins again as soon as the cluster lets it.
func (p podWatch) findInterruption(target *unit, step Step) string {
	if w, _ := p.observedWorkload(target); !w.Obstructed || !p.policy.AutoRollback {
		return ""
	}
	return p.findBlackout(target, step)
}

// isOut reports whether a unit has traffic, and no ready pod for it.
func (p podWatch) isOut(u *unit) bool { return u != nil && u.Weight > 0 && p.isDown(u) }

// findLoss returns for how long the stable version has had traffic and no ready pod, while the
// target of steps has both; empty where that is not too long.
func (p podWatch) findLoss(stable, target *unit) string {
	w, _ := p.observedWorkload(target)
	if p.ro.Mode != v1.RolloutSteps || p.ro.DownSince == nil || !p.isOut(stable) || target.Weight == 0 || w.Ready == 0 || p.timeLeft(p.ro.DownSince, p.policy.ProgressDeadline) > 0 {
		return ""
	}
	return fmt.Sprintf("none of the pods of %s was ready for %s while it had %d %% of the traffic", titleFor(stable), formatDuration(p.elapsedSince(p.ro.DownSince)), stable.Weight)
}

// findBlackout returns for how long a target has had traffic and no ready pod; empty where
// that is not too long, or there is nothing to go back to. Pods that crash have no time.
func (p podWatch) findBlackout(target *unit, step Step) string {
	w, seen := p.observedWorkload(target)
	if !p.isOut(target) || p.isDown(p.findUnit(p.ro.Stable)) {
		return ""
	}
	if p.ro.DownSince == nil || !seen {
		return ""
	}
	if crashes := w.Restarts - p.ro.Restarts; crashes > 0 && !w.Obstructed && p.restartedDown() {
		return fmt.Sprintf("its containers restarted %s and none of its pods is ready, while it had %d %% of the traffic%s", countTimes(crashes), target.Weight, describeTrouble(w))
	}
	if p.timeLeft(p.ro.DownSince, min(blackout, p.policy.ProgressDeadline)) > 0 {
		return ""
	}
	return fmt.Sprintf("none of its %d pods was ready for %s while it had %d %% of the traffic%s", p.traffic.neededReadyPods(step), formatDuration(p.elapsedSince(p.ro.DownSince)), target.Weight, describeTrouble(w))
}

// restartedDown reports whether a container restarted as the pods went down or later. One
// that restarted before and came back has its time.
func (p podWatch) restartedDown() bool {
	return p.ro.StepStartedAt != nil && !p.ro.StepStartedAt.Before(p.ro.DownSince)
}

func countTimes(n int32) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// noProgress says for how long no pod became ready.
func (p podWatch) noProgress() string {
	return fmt.Sprintf("no progress for %s (deadline %s)", formatDuration(p.elapsedSince(p.ro.ShortSince)), formatDuration(p.policy.ProgressDeadline))
}

// awaitPods asks for the pods that the weight of the step needs.
func (p podWatch) awaitPods(target *unit, step Step) verdict {
	w, seen := p.observedWorkload(target)
	need := p.traffic.neededReadyPods(step)
	switch {
	case !seen:
		p.lookAgainIn(retryInterval)
		return waitFor(v1.WaitingForObservation, "the workload %s of %s was not read yet", target.Workload, titleFor(target))
	case w.Ready < need:
		return p.podsDeadline(waitFor(shortageReason(w), "%s has %d of the %s that %d %% needs%s%s", titleFor(target), w.Ready, countPods(need, "ready "), step.Weight, p.traffic.stepTitle(), describeTrouble(w)))
	case p.policy.Gateway && target.Weight < step.Weight && settledPods(w) < need:
		return waitFor(v1.WaitingForEndpoints, "%s has the %s that %d %% needs%s; gateways may not know %d of them yet", titleFor(target), countPods(need, "ready "), step.Weight, p.traffic.stepTitle(), w.Settling)
	default:
		return passed
	}
}

// shortageReason returns the reason of a wait for missing pods.
func shortageReason(w Workload) v1.WaitingReason {
	if w.Obstructed {
		return v1.WaitingForInfrastructure
	}
	return v1.WaitingForPods
}
