package defaulting

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	v1 "gati.dev/gati/api/v1"
)

const (
	// runtimeUser is the user of Gati's images.
	runtimeUser = 1001
	// gracePeriod is the time of a pod to finish its requests, in seconds.
	gracePeriod = 30
)

// resolvePod sets the defaults of every pod: those of the restricted Pod Security
// Standard, and a time to finish requests.
func resolvePod(set *v1.PodSettings) *v1.PodSettings {
	p := set.DeepCopy()
	if p == nil {
		p = &v1.PodSettings{}
	}
	setDefault(&p.RunAsUser, runtimeUser)
	setDefault(&p.FSGroup, *p.RunAsUser)
	setDefault(&p.ReadOnlyRootFilesystem, true)
	setDefault(&p.AutomountServiceAccountToken, false)
	setDefault(&p.TerminationGracePeriodSeconds, gracePeriod)
	return p
}

func setDefault[T any](field **T, value T) {
	if *field == nil {
		*field = &value
	}
}

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
