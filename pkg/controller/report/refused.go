package report

import (
	"regexp"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
)

// podName matches the name of the pod at the start of the API server's message. The
// name differs with each attempt, and a message that always differs would be written
// each time.
var podName = regexp.MustCompile(`^pods "[^"]*" is `)

// PodsRefused returns the reason why the API server refuses the pods of a Deployment, such
// as a quota or the Pod Security level; empty when it does not. A user has to act. A
// missing ServiceAccount does not count: that of a new namespace is created soon.
func PodsRefused(d *appsv1.Deployment) string {
	if d == nil {
		return ""
	}
	for _, c := range d.Status.Conditions {
		refused := c.Type == appsv1.DeploymentReplicaFailure && c.Status == corev1.ConditionTrue
		if refused && !strings.Contains(c.Message, "error looking up service account") {
			return "the API server refuses pods of Deployment " + d.Name + ": " + podName.ReplaceAllString(c.Message, "")
		}
	}
	return ""
}
