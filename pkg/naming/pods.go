package naming

import "regexp"

// maxPodNameBase is how much of a ReplicaSet's name Kubernetes keeps in a pod's
// name, before it adds five characters.
const maxPodNameBase = 58

// PodPattern returns a regular expression for the pods that a Deployment has or
// had.
func PodPattern(deployment string) string {
	if base := deployment + "-"; len(base) >= maxPodNameBase {
		return regexp.QuoteMeta(base[:maxPodNameBase]) + "[a-z0-9]+"
	}
	return regexp.QuoteMeta(deployment) + "-[a-z0-9]+(-[a-z0-9]{5})?"
}
