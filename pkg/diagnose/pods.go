package diagnose

import (
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/printable"
	"gati.dev/gati/pkg/remedy"
)

const (
	// maxStart is how long a pod may start, or be unready, before that is a problem.
	maxStart = 30 * time.Second
	// maxRestartAge is how long a restart stays a problem.
	maxRestartAge = 10 * time.Minute
	// reasonRestarted is the reason of a pod that runs again after it has died.
	reasonRestarted = "Restarted"
)

// Pod returns the problem of a pod. Terminating and evicted pods are no problem: their
// workload has replaced them.
func Pod(pod *corev1.Pod, now time.Time) (Problem, bool) {
	p, ok := findProblem(pod, now)
	if ok {
		p.addPod(pod)
	}
	return p, ok
}

// addPod names the pod that has the problem.
func (p *Problem) addPod(pod *corev1.Pod) {
	p.Workload, p.Pods, p.Message = pod.Labels[v1.LabelWorkload], []string{pod.Name}, printable.OneLine(p.Message)
}

func findProblem(pod *corev1.Pod, now time.Time) (Problem, bool) {
	if hasEnded(pod) {
		return Problem{}, false
	}
	if p, ok := findUnschedulable(pod); ok {
		return p, true
	}
	containers := containersOf(pod)
	for i := range containers {
		if p, ok := findBroken(pod, &containers[i]); ok {
			return p, true
		}
	}
	if isReady(pod) {
		return findRestart(pod, containers, now)
	}
	return findLate(pod, containers, now)
}

// hasEnded reports whether a pod has ended, or is on its way out.
func hasEnded(pod *corev1.Pod) bool {
	return pod.DeletionTimestamp != nil || pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
}

func containersOf(pod *corev1.Pod) []corev1.ContainerStatus {
	return slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses)
}

// findUnschedulable finds a pod that no node accepts.
func findUnschedulable(pod *corev1.Pod) (Problem, bool) {
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.PodScheduled && c.Status == corev1.ConditionFalse && c.Reason != "" {
			return Problem{
				Reason:   c.Reason,
				Message:  c.Message,
				Blocking: true,
				Cause:    CauseRoom,
				Since:    timeOrNil(c.LastTransitionTime),
				Next:     "make room on the nodes, or ask for less: spec.resources, spec.pod",
			}, true
		}
	}
	return Problem{}, false
}

// findBroken finds a container that does not run and will not by waiting.
func findBroken(pod *corev1.Pod, c *corev1.ContainerStatus) (Problem, bool) {
	p := Problem{Blocking: true, Restarts: c.RestartCount, Since: timeOrNil(pod.CreationTimestamp)}
	switch w, t := c.State.Waiting, c.State.Terminated; {
	case w != nil && w.Reason != "" && w.Reason != "ContainerCreating" && w.Reason != "PodInitializing":
		p.Reason, p.Message, p.Cause = w.Reason, w.Message, causeOfWait(w)
		if role := roleOf(pod, c); role != roleOwn {
			p.Message = fmt.Sprintf("%s %s: %s", role, c.Name, w.Message)
		}
		if last := c.LastTerminationState.Terminated; last != nil && w.Reason == "CrashLoopBackOff" {
			p.Message = describeContainerEnd(pod, c, last)
		}
	case t != nil && t.ExitCode != 0:
		p.Reason = t.Reason
		p.Message = describeContainerEnd(pod, c, t)
	default:
		return Problem{}, false
	}
	p.Next = remedyFor(p.Reason, pod, c)
	return p, true
}

// findRestart finds a pod that runs, but has died lately.
func findRestart(pod *corev1.Pod, containers []corev1.ContainerStatus, now time.Time) (Problem, bool) {
	for i := range containers {
		c := &containers[i]
		last := c.LastTerminationState.Terminated
		if last == nil || now.Sub(last.FinishedAt.Time) > maxRestartAge {
			continue
		}
		return Problem{
			Reason:   reasonRestarted,
			Message:  describeContainerEnd(pod, c, last),
			Restarts: c.RestartCount,
			Since:    timeOrNil(last.FinishedAt),
			Next:     remedyFor(last.Reason, pod, c),
		}, true
	}
	return Problem{}, false
}

// findLate finds a pod that takes long to start or to become ready.
func findLate(pod *corev1.Pod, containers []corev1.ContainerStatus, now time.Time) (Problem, bool) {
	if now.Sub(pod.CreationTimestamp.Time) < maxStart {
		return Problem{}, false
	}
	for i := range containers {
		c := &containers[i]
		if r := c.State.Running; r != nil && !c.Ready && now.Sub(r.StartedAt.Time) >= maxStart {
			p := Problem{
				Reason:  reasonNotReady,
				Message: fmt.Sprintf("%s %s runs, but its readiness check fails", roleOf(pod, c), c.Name),
				Since:   timeOrNil(r.StartedAt),
				Next:    "see what it says: " + logsCommand(pod, c, false),
			}
			if roleOf(pod, c) == roleInit {
				p.Reason, p.Message = "PodInitializing", "init container "+c.Name+" still runs"
			}
			return p, true
		}
		if w := c.State.Waiting; w != nil {
			return Problem{
				Reason:  w.Reason,
				Message: w.Message,
				Since:   timeOrNil(pod.CreationTimestamp),
				Next:    "see its events: " + remedy.ShowPod.For(pod.Name, pod.Namespace),
			}, true
		}
	}
	return Problem{}, false
}

func isReady(pod *corev1.Pod) bool {
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.PodReady {
			return c.Status == corev1.ConditionTrue
		}
	}
	return false
}

// describeEnd returns how a container ended.
func describeEnd(t *corev1.ContainerStateTerminated) string {
	if t.Reason == "" || t.Reason == "Error" {
		return fmt.Sprintf("exit code %d", t.ExitCode)
	}
	return fmt.Sprintf("%s (exit code %d)", t.Reason, t.ExitCode)
}
