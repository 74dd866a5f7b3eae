package expand

import (
	corev1 "k8s.io/api/core/v1"

	v1 "gati.dev/gati/api/v1"
)

// podSecurity returns the pod's part of the restricted Pod Security Standard.
func podSecurity(pod *v1.PodSettings) *corev1.PodSecurityContext {
	nonRoot, change := true, corev1.FSGroupChangeOnRootMismatch
	return &corev1.PodSecurityContext{
		RunAsNonRoot:        &nonRoot,
		RunAsUser:           pod.RunAsUser,
		RunAsGroup:          pod.RunAsGroup,
		FSGroup:             pod.FSGroup,
		FSGroupChangePolicy: &change,
		SeccompProfile:      &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
	}
}

// containerSecurity returns the container's part. All Linux capabilities are
// dropped: they have nothing in common with Gati's.
func containerSecurity(pod *v1.PodSettings) *corev1.SecurityContext {
	no := false
	return &corev1.SecurityContext{
		AllowPrivilegeEscalation: &no,
		ReadOnlyRootFilesystem:   pod.ReadOnlyRootFilesystem,
		Capabilities:             &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
	}
}
