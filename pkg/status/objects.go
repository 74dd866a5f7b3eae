package status

import (
	"time"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"

	v1 "gati.dev/gati/api/v1"
)

// Objects is the input of Build, which changes none of it; the snapshot refers to it. Children belong to a
// handler or module by their labels; others are ignored.
type Objects struct {
	// Namespace is the namespace that was read, empty for all.
	Namespace   string
	Handlers    []v1.GatiHandler
	Modules     []v1.GatiModule
	Versions    []v1.GatiVersion
	Deployments []appsv1.Deployment
	Pods        []corev1.Pod
	Autoscalers []autoscalingv2.HorizontalPodAutoscaler
	// Events are those of failed probes.
	Events []corev1.Event
	// Unread names the lists that could not be read: there an empty list means
	// unknown, not none.
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
	ResourceEvents      = "events"
)

// Unread is a list that could not be read.
type Unread struct {
	// Resource is the plural of the kind, such as pods.
	Resource string `json:"resource"`
	// Reason is the cause, such as "forbidden".
	Reason string `json:"reason"`
	// Since is when a view that follows first failed to read it; zero for one that reads once.
	Since time.Time `json:"-"`
}

// NotYet is the reason of a list that is still to be read.
const NotYet = "not read yet"

// IsComplete reports whether every list was tried.
func (s *Snapshot) IsComplete() bool {
	for _, u := range s.Unread {
		if u.Reason == NotYet {
			return false
		}
	}
	return true
}

// wasRead reports whether the list of a resource could be read.
func (o *Objects) wasRead(resource string) bool {
	for _, u := range o.Unread {
		if u.Resource == resource {
			return false
		}
	}
	return true
}
