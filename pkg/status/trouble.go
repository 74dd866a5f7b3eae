package status

import (
	"fmt"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
)

// Trouble says in one sentence what keeps the pods of a workload from being
// ready, the worst first; empty when nothing does but time. The controllers put
// it into their conditions, so it holds no duration: a sentence that changes by
// itself would be written again and again.
func Trouble(d *appsv1.Deployment, pods []corev1.Pod, now time.Time) string {
	var found []Problem
	if d != nil {
		if p, ok := cannotCreate(d); ok {
			found = append(found, p)
		}
	}
	for i := range pods {
		if p, ok := troubleOf(&pods[i], now); ok {
			p.Pods, p.Message, p.Restarts = []string{pods[i].Name}, oneLine(p.Message), 0
			found = append(found, p)
		}
	}
	if len(found) == 0 {
		return ""
	}
	worst := group(found)[0]
	if len(worst.Pods) == 1 {
		return fmt.Sprintf("Pod %s: %s.", worst.Pods[0], unended(worst.Summary()))
	}
	return unended(worst.Summary()) + "."
}

// troubleOf says what keeps a pod from being ready. For one that runs again that is
// what it has died of, until it is ready or has taken too long.
func troubleOf(pod *corev1.Pod, now time.Time) (Problem, bool) {
	if isReady(pod) {
		return Problem{}, false
	}
	if p, ok := diagnose(pod, now); ok || over(pod) {
		return p, ok
	}
	return restarted(pod, containersOf(pod), now)
}

// unended is a sentence without its full stop: the scheduler's messages have one,
// and the kubelet's have none.
func unended(sentence string) string { return strings.TrimRight(sentence, ".") }

// TroubleIn is when to look again although nothing happens: after that time a pod
// that is not ready has taken long enough to be worth a word. Zero when no pod
// will.
func TroubleIn(pods []corev1.Pod, now time.Time) time.Duration {
	var soonest time.Duration
	for i := range pods {
		if _, told := diagnose(&pods[i], now); told || isReady(&pods[i]) {
			continue
		}
		left := waitsSince(&pods[i]).Add(slow).Sub(now)
		if left > 0 && (soonest == 0 || left < soonest) {
			soonest = left
		}
	}
	return soonest
}

// waitsSince is the start of the last container that runs, else the pod's.
func waitsSince(pod *corev1.Pod) time.Time {
	since := pod.CreationTimestamp.Time
	for _, c := range pod.Status.ContainerStatuses {
		if r := c.State.Running; r != nil && r.StartedAt.After(since) {
			since = r.StartedAt.Time
		}
	}
	return since
}
