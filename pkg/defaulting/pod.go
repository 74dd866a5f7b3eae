package defaulting

import v1 "gati.dev/gati/api/v1"

const (
	// runtimeUser is the user that Gati's images are built for.
	runtimeUser = 1001
	// gracePeriod is the time a pod has to finish its requests, in seconds.
	gracePeriod = 30
)

// resolvePod fills in the settings that every pod has: those of the restricted
// Pod Security Standard and a time to finish requests.
func resolvePod(set *v1.PodSettings) *v1.PodSettings {
	p := set.DeepCopy()
	if p == nil {
		p = &v1.PodSettings{}
	}
	fill(&p.RunAsUser, runtimeUser)
	fill(&p.FSGroup, *p.RunAsUser)
	fill(&p.ReadOnlyRootFilesystem, true)
	fill(&p.AutomountServiceAccountToken, false)
	fill(&p.TerminationGracePeriodSeconds, gracePeriod)
	return p
}

func fill[T any](field **T, value T) {
	if *field == nil {
		*field = &value
	}
}
