package status

import (
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
)

const (
	// slow is how long a pod may start, or be unready, before it is worth a
	// word.
	slow = 30 * time.Second
	// recent is how long a restart stays worth a word.
	recent = 10 * time.Minute
)

// diagnose returns what is wrong with a pod. Pods on their way out are no
// problem, and neither are evicted ones: their workload has replaced them.
func diagnose(pod *corev1.Pod, now time.Time) (Problem, bool) {
	if over(pod) {
		return Problem{}, false
	}
	if p, ok := unschedulable(pod); ok {
		return p, true
	}
	containers := containersOf(pod)
	for i := range containers {
		if p, ok := broken(pod, &containers[i]); ok {
			return p, true
		}
	}
	if isReady(pod) {
		return restarted(pod, containers, now)
	}
	return late(pod, containers, now)
}

// over tells that a pod has ended, or is on its way out.
func over(pod *corev1.Pod) bool {
	return pod.DeletionTimestamp != nil || pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
}

func containersOf(pod *corev1.Pod) []corev1.ContainerStatus {
	return slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses)
}

// unschedulable finds a pod that no node takes.
func unschedulable(pod *corev1.Pod) (Problem, bool) {
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.PodScheduled && c.Status == corev1.ConditionFalse && c.Reason != "" {
			return Problem{
				Reason:   c.Reason,
				Message:  c.Message,
				Blocking: true,
				Since:    sincePtr(c.LastTransitionTime),
				Next:     "make room on the nodes, or ask for less: spec.resources, spec.pod",
			}, true
		}
	}
	return Problem{}, false
}

// broken finds a container that does not run and will not by waiting.
func broken(pod *corev1.Pod, c *corev1.ContainerStatus) (Problem, bool) {
	p := Problem{Blocking: true, Restarts: c.RestartCount, Since: sincePtr(pod.CreationTimestamp)}
	switch w, t := c.State.Waiting, c.State.Terminated; {
	case w != nil && w.Reason != "" && w.Reason != "ContainerCreating" && w.Reason != "PodInitializing":
		p.Reason, p.Message = w.Reason, w.Message
		if last := c.LastTerminationState.Terminated; last != nil && w.Reason == "CrashLoopBackOff" {
			p.Message = fmt.Sprintf("container %s ended with %s", c.Name, ending(last))
		}
	case t != nil && t.ExitCode != 0:
		p.Reason = t.Reason
		p.Message = fmt.Sprintf("container %s ended with %s", c.Name, ending(t))
	default:
		return Problem{}, false
	}
	p.Next = remedy(p.Reason, pod, c)
	return p, true
}

// restarted finds a pod that runs, but has died lately.
func restarted(pod *corev1.Pod, containers []corev1.ContainerStatus, now time.Time) (Problem, bool) {
	for i := range containers {
		c := &containers[i]
		last := c.LastTerminationState.Terminated
		if last == nil || now.Sub(last.FinishedAt.Time) > recent {
			continue
		}
		return Problem{
			Reason:   "Restarted",
			Message:  fmt.Sprintf("container %s ended with %s", c.Name, ending(last)),
			Restarts: c.RestartCount,
			Since:    sincePtr(last.FinishedAt),
			Next:     remedy(last.Reason, pod, c),
		}, true
	}
	return Problem{}, false
}

// late finds a pod that takes long to start or to become ready.
func late(pod *corev1.Pod, containers []corev1.ContainerStatus, now time.Time) (Problem, bool) {
	if now.Sub(pod.CreationTimestamp.Time) < slow {
		return Problem{}, false
	}
	for i := range containers {
		c := &containers[i]
		if r := c.State.Running; r != nil && !c.Ready && now.Sub(r.StartedAt.Time) >= slow {
			return Problem{
				Reason:  "NotReady",
				Message: "container " + c.Name + " runs, but its readiness check fails",
				Since:   sincePtr(r.StartedAt),
				Next:    "see what it says: " + logs(pod, c, false),
			}, true
		}
		if w := c.State.Waiting; w != nil {
			return Problem{
				Reason:  w.Reason,
				Message: w.Message,
				Since:   sincePtr(pod.CreationTimestamp),
				Next:    "see its events: kubectl -n " + pod.Namespace + " describe pod " + pod.Name,
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

// ending says how a container ended.
func ending(t *corev1.ContainerStateTerminated) string {
	if t.Reason == "" || t.Reason == "Error" {
		return fmt.Sprintf("exit code %d", t.ExitCode)
	}
	return fmt.Sprintf("%s (exit code %d)", t.Reason, t.ExitCode)
}
