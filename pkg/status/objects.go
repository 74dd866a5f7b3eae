package status

import (
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"

	v1 "gati.dev/gati/api/v1"
)

// Objects is what a Snapshot is built from. Children belong to a handler or
// module by their labels; those of anything else are passed over. Build changes
// none of them.
type Objects struct {
	// Namespace is where the objects were looked for, empty for all namespaces.
	Namespace   string
	Handlers    []v1.GatiHandler
	Modules     []v1.GatiModule
	Versions    []v1.GatiVersion
	Deployments []appsv1.Deployment
	Pods        []corev1.Pod
	Autoscalers []autoscalingv2.HorizontalPodAutoscaler
	// Unread names the lists that could not be read, so that an empty list is
	// not taken for "there are none".
	Unread []Unread
}

// Resources as Unread names them.
const (
	ResourceHandlers    = "gatihandlers"
	ResourceModules     = "gatimodules"
	ResourceVersions    = "gativersions"
	ResourceDeployments = "deployments"
	ResourcePods        = "pods"
	ResourceAutoscalers = "horizontalpodautoscalers"
)

// Unread is a list that could not be read.
type Unread struct {
	// Resource is the plural of the kind, such as pods.
	Resource string `json:"resource"`
	// Reason says why, such as "forbidden".
	Reason string `json:"reason"`
}

// NotYet is the reason of a list that nobody has tried to read yet.
const NotYet = "not read yet"

// Whole tells that every list was tried.
func (s *Snapshot) Whole() bool {
	for _, u := range s.Unread {
		if u.Reason == NotYet {
			return false
		}
	}
	return true
}

// read tells whether the list of a resource is there.
func (o *Objects) read(resource string) bool {
	for _, u := range o.Unread {
		if u.Resource == resource {
			return false
		}
	}
	return true
}
