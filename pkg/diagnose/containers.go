package diagnose

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
)

// role is what a container of a pod is, in the words of a message.
type role string

const (
	roleOwn     role = "container"
	roleInit    role = "init container"
	roleSidecar role = "sidecar"
)

// roleOf returns the role of a container that a pod's status has.
func roleOf(pod *corev1.Pod, c *corev1.ContainerStatus) role {
	for i := range pod.Spec.InitContainers {
		switch init := &pod.Spec.InitContainers[i]; {
		case init.Name != c.Name:
		case init.RestartPolicy != nil && *init.RestartPolicy == corev1.ContainerRestartPolicyAlways:
			return roleSidecar
		default:
			return roleInit
		}
	}
	return roleOwn
}

// describeContainerEnd returns how a container ended, and for a sidecar whether the pod's own
// container is well beside it.
func describeContainerEnd(pod *corev1.Pod, c *corev1.ContainerStatus, end *corev1.ContainerStateTerminated) string {
	of := roleOf(pod, c)
	text := fmt.Sprintf("%s %s ended with %s", of, c.Name, describeEnd(end))
	if of != roleSidecar {
		return text
	}
	for i := range pod.Status.ContainerStatuses {
		if own := &pod.Status.ContainerStatuses[i]; !own.Ready {
			return text
		}
	}
	if len(pod.Status.ContainerStatuses) > 0 {
		text += "; container " + pod.Status.ContainerStatuses[0].Name + " is well"
	}
	return text
}

// memoryField returns the field that bounds the memory of a container.
func memoryField(pod *corev1.Pod, c *corev1.ContainerStatus) string {
	switch roleOf(pod, c) {
	case roleInit:
		return "resources.limits.memory of " + c.Name + " in spec.pod.initContainers"
	case roleSidecar:
		return "resources.limits.memory of " + c.Name + " in spec.pod.sidecars"
	default:
		return "spec.resources.limits.memory"
	}
}

// referringFields returns the fields that may name what a container lacks.
func referringFields(pod *corev1.Pod, c *corev1.ContainerStatus) string {
	switch roleOf(pod, c) {
	case roleInit:
		return "spec.pod.initContainers or spec.pod.volumes names"
	case roleSidecar:
		return "spec.pod.sidecars or spec.pod.volumes names"
	default:
		return "spec.env, spec.envFrom or spec.pod.volumes names"
	}
}
