package diagnose

import (
	"fmt"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/lazyregexp"
	"gati.dev/gati/pkg/printable"
	"gati.dev/gati/pkg/remedy"
)

// podName matches the name of the pod at the start of the API server's message, which
// differs with each attempt.
var podName = lazyregexp.New(`^pods "[^"]*" is `)

// Deployment returns why pods of a Deployment were not created: others have stopped it, or
// quotas or Pod Security refuse pods. Only the Deployment shows it.
func Deployment(d *appsv1.Deployment) (Problem, bool) {
	if o := findStop(d, nil); o != nil {
		return Problem{
			Workload: d.Labels[v1.LabelWorkload], Reason: o.Reason, Message: o.Summary(), Next: o.Remedy, Blocking: true, Cause: CauseHold,
		}, true
	}
	for _, c := range d.Status.Conditions {
		if c.Type != appsv1.DeploymentReplicaFailure || c.Status != corev1.ConditionTrue {
			continue
		}
		since := c.LastTransitionTime
		return Problem{
			Workload: d.Labels[v1.LabelWorkload],
			Reason:   c.Reason,
			Message:  printable.OneLine(c.Message),
			Blocking: true,
			Cause:    causeOfRefusal(c.Message),
			Since:    &since,
			Next:     "see what refuses the pods: " + remedy.ShowDeployment.For(d.Namespace, d.Name),
		}, true
	}
	return Problem{}, false
}

// lacksPods reports whether pods of the Deployment's present template are missing.
func lacksPods(d *appsv1.Deployment) bool {
	return d.Status.ObservedGeneration < d.Generation || d.Status.UpdatedReplicas < wantedPods(d)
}

// wantedPods is the number of pods that a Deployment asks for.
func wantedPods(d *appsv1.Deployment) int32 {
	if d.Spec.Replicas == nil {
		return 1
	}
	return *d.Spec.Replicas
}

// Workload returns one sentence on what keeps the pods of a workload from being ready,
// the worst first; empty when nothing does but time. d may be nil. The sentence goes
// into conditions, so it holds no duration and no name of a pod that was refused: it
// would be written again and again.
func Workload(d *appsv1.Deployment, pods []corev1.Pod, now time.Time) string {
	worst, found := findWorst(d, pods, now)
	if !found {
		return ""
	}
	// The scheduler's messages end with a full stop, the kubelet's do not.
	summary := strings.TrimRight(worst.Summary(), ".") + "."
	if len(worst.Pods) == 1 {
		return fmt.Sprintf("Pod %s: %s", worst.Pods[0], summary)
	}
	return summary
}

// IsFailing reports whether waiting does not make the pods of a workload ready, or they
// crash: between two crashes a container runs for a moment.
func IsFailing(d *appsv1.Deployment, pods []corev1.Pod, now time.Time) bool {
	worst, found := findWorst(d, pods, now)
	return found && (worst.Blocking || worst.Reason == reasonRestarted)
}

// findWorst finds the worst problem of the pods that are not ready.
func findWorst(d *appsv1.Deployment, pods []corev1.Pod, now time.Time) (Problem, bool) {
	var found []Problem
	if d != nil {
		if p, ok := Deployment(d); ok {
			p.Message = podName.ReplaceAllString(p.Message, "")
			found = append(found, p)
		}
	}
	for i := range pods {
		if p, ok := findUnready(&pods[i], now); ok {
			p.addPod(&pods[i])
			p.Workload, p.Restarts = "", 0
			found = append(found, p)
		}
	}
	if len(found) == 0 {
		return Problem{}, false
	}
	return Group(found)[0], true
}

// findUnready finds what keeps a pod from being ready. For one that runs again that is
// how it ended before, until it is ready or has taken too long.
func findUnready(pod *corev1.Pod, now time.Time) (Problem, bool) {
	if isReady(pod) {
		return Problem{}, false
	}
	if p, ok := findProblem(pod, now); ok || hasEnded(pod) {
		return p, ok
	}
	return findRestart(pod, containersOf(pod), now)
}

// LookAgain returns how long until a pod that is not ready has taken long enough to be
// a problem, although nothing happens; zero when no pod will.
func LookAgain(pods []corev1.Pod, now time.Time) time.Duration {
	var soonest time.Duration
	for i := range pods {
		if _, known := findProblem(&pods[i], now); known || isReady(&pods[i]) {
			continue
		}
		left := startOf(&pods[i]).Add(maxStart).Sub(now)
		if left > 0 && (soonest == 0 || left < soonest) {
			soonest = left
		}
	}
	return soonest
}

// startOf returns the start of the last container that runs, else the pod's.
func startOf(pod *corev1.Pod) time.Time {
	start := pod.CreationTimestamp.Time
	for _, c := range containersOf(pod) {
		if r := c.State.Running; r != nil && r.StartedAt.After(start) {
			start = r.StartedAt.Time
		}
	}
	return start
}
