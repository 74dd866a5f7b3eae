package defaulting

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	v1 "gati.dev/gati/api/v1"
)

// resolveResources returns what the user set, or the derived requests and limits
// where the user set nothing at all. Half of it is never mixed in: a limit of
// ours below a request of the user's would be a fault of ours.
func resolveResources(set *v1.Resources) (*v1.Resources, string) {
	if set != nil && len(set.Requests)+len(set.Limits) > 0 {
		return set, ""
	}
	return &v1.Resources{
		Requests: corev1.ResourceList{
			corev1.ResourceCPU:    resource.MustParse("100m"),
			corev1.ResourceMemory: resource.MustParse("128Mi"),
		},
		Limits: corev1.ResourceList{
			corev1.ResourceCPU:    resource.MustParse("500m"),
			corev1.ResourceMemory: resource.MustParse("512Mi"),
		},
	}, "resources 100m/128Mi to 500m/512Mi, because none are set"
}
