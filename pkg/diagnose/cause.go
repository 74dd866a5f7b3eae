package diagnose

import (
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"

	"gati.dev/gati/pkg/lazyregexp"
	"gati.dev/gati/pkg/remedy"
)

// Cause is where the problem of a pod comes from.
type Cause int

// The causes.
const (
	// CauseProgram is the container, its settings, or anything not known better.
	CauseProgram Cause = iota
	// CauseRoom is a quota, a LimitRange, or the lack of a node for the pod. Whoever asks
	// for the same room has it, too.
	CauseRoom
	// CauseService is a registry or an admission webhook that does not answer.
	CauseService
	// CauseHold is a field of the Deployment that others have set and that stops it.
	CauseHold
)

// FindCause returns what keeps the pods of a workload from being ready: a hold counts
// before a program that fails, that before a lack of room, and that before a service that
// is down. d may be nil.
func FindCause(d *appsv1.Deployment, pods []corev1.Pod, now time.Time) Cause {
	found := map[Cause]bool{}
	if d != nil {
		if p, ok := Deployment(d); ok {
			found[p.Cause] = true
		}
	}
	for i := range pods {
		if p, ok := findUnready(&pods[i], now); ok {
			found[p.Cause] = true
		}
	}
	for _, c := range []Cause{CauseHold, CauseProgram, CauseRoom, CauseService} {
		if found[c] {
			return c
		}
	}
	return CauseProgram
}

var (
	// noRoom matches how the API server refuses pods by a quota or LimitRange.
	noRoom = lazyregexp.New(`(exceeded|failed) quota: |(maximum|minimum) \S+ usage per (Container|Pod) |max limit to request ratio per `)
	// noWebhook matches how it refuses pods because a webhook does not answer.
	noWebhook = lazyregexp.New(`failed calling webhook `)
	// noRegistry matches a kubelet's messages about a registry without an answer about the
	// image: it is not reached, not trusted, overloaded or broken.
	noRegistry = lazyregexp.New(`(?i)\bdial (tcp|unix)\b|\bno such host\b|connection (refused|reset)|\bi/o timeout\b|handshake|deadline exceeded|Client\.Timeout|no route to host|network is unreachable|: (unexpected )?EOF|\bx509: |HTTP response to HTTPS client|too ?many ?requests|RegistryUnavailable|\b(429|5\d\d) (Too|Internal|Bad|Service|Gateway)\b`)
)

// causeOfRefusal returns why the API server refuses pods.
func causeOfRefusal(message string) Cause {
	switch {
	case noRoom.MatchString(message):
		return CauseRoom
	case noWebhook.MatchString(message):
		return CauseService
	default:
		return CauseProgram
	}
}

// causeOfWait returns why a container waits.
func causeOfWait(w *corev1.ContainerStateWaiting) Cause {
	switch w.Reason {
	case "ErrImagePull", "ImagePullBackOff", "RegistryUnavailable":
		if noRegistry.MatchString(w.Reason + " " + w.Message) {
			return CauseService
		}
	}
	return CauseProgram
}

// AsksForSameRoom reports whether quotas, LimitRanges and the scheduler have no reason to
// accept one of two pods and not the other.
func AsksForSameRoom(a, b *corev1.PodSpec) bool {
	return equality.Semantic.DeepEqual(roomOf(a), roomOf(b))
}

// roomOf returns the fields of a pod that decide on its node and its resources.
func roomOf(spec *corev1.PodSpec) corev1.PodSpec {
	out := corev1.PodSpec{
		NodeSelector: spec.NodeSelector, Affinity: spec.Affinity, Tolerations: spec.Tolerations,
		TopologySpreadConstraints: spec.TopologySpreadConstraints, PriorityClassName: spec.PriorityClassName,
		SchedulerName: spec.SchedulerName, RuntimeClassName: spec.RuntimeClassName,
	}
	for _, c := range spec.Containers {
		out.Containers = append(out.Containers, corev1.Container{Resources: c.Resources})
	}
	for _, c := range spec.InitContainers {
		out.InitContainers = append(out.InitContainers, corev1.Container{Resources: c.Resources, RestartPolicy: c.RestartPolicy})
	}
	for _, v := range spec.Volumes {
		if v.PersistentVolumeClaim != nil {
			out.Volumes = append(out.Volumes, v)
		}
	}
	return out
}

// remedyFor returns what to do about a container's reason, or where to look.
func remedyFor(reason string, pod *corev1.Pod, c *corev1.ContainerStatus) string {
	switch reason {
	case "ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull", "ImageInspectError":
		return "check that the image " + c.Image + " exists and that spec.pod.imagePullSecrets may pull it"
	case "CreateContainerConfigError":
		return "create the Secret or ConfigMap that " + referringFields(pod, c)
	case "OOMKilled":
		return "raise " + memoryField(pod, c)
	case "CrashLoopBackOff", "Error":
		if last := c.LastTerminationState.Terminated; last != nil && last.Reason == "OOMKilled" {
			return "raise " + memoryField(pod, c)
		}
		return "see why it ended: " + logsCommand(pod, c, true)
	default:
		return "see its events: " + remedy.ShowPod.For(pod.Name, pod.Namespace)
	}
}

// logsCommand is the command that shows a container's log.
func logsCommand(pod *corev1.Pod, c *corev1.ContainerStatus, previous bool) string {
	show := remedy.ShowLog
	if previous {
		show = remedy.ShowPreviousLog
	}
	return show.For(pod.Namespace, pod.Name, c.Name)
}
