package diagnose

import corev1 "k8s.io/api/core/v1"

// remedy returns what to do about a container's reason, or where to look.
func remedy(reason string, pod *corev1.Pod, c *corev1.ContainerStatus) string {
	switch reason {
	case "ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull", "ImageInspectError":
		return "check that the image " + c.Image + " exists and that spec.pod.imagePullSecrets may pull it"
	case "CreateContainerConfigError":
		return "create the Secret or ConfigMap that spec.env, spec.envFrom or spec.pod.volumes names"
	case "OOMKilled":
		return "raise spec.resources.limits.memory"
	case "CrashLoopBackOff", "Error":
		if last := c.LastTerminationState.Terminated; last != nil && last.Reason == "OOMKilled" {
			return "raise spec.resources.limits.memory"
		}
		return "see why it ended: " + logsCommand(pod, c, true)
	default:
		return "see its events: kubectl -n " + pod.Namespace + " describe pod " + pod.Name
	}
}

// logsCommand is the command that shows a container's log.
func logsCommand(pod *corev1.Pod, c *corev1.ContainerStatus, previous bool) string {
	command := "kubectl -n " + pod.Namespace + " logs " + pod.Name + " -c " + c.Name
	if previous {
		command += " --previous"
	}
	return command
}
