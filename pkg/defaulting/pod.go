package defaulting

import v1 "gati.dev/gati/api/v1"

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
