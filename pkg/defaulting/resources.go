package defaulting

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	v1 "gati.dev/gati/api/v1"
)

// Resources returns the user's resources, or the derived ones if there are none at all.
func Resources(set *v1.Resources) *v1.Resources {
	out, _ := resolveResources(set)
	return out
}

// resolveResources returns the user's resources, or the derived ones if there are
// none at all. The two are never mixed: a derived limit may be below the user's
// request.
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
