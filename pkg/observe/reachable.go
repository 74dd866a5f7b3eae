package observe

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
)

// maxEndpointLag is by how much endpoints may be written after a pod was ready: a pod
// that was ready longer before was among them already.
const maxEndpointLag = 2 * time.Minute

// reachable has the ready pods of a Service by name, and when their endpoints were
// last written.
type reachable map[string]time.Time

func (r reachable) addSlice(slice *discoveryv1.EndpointSlice) {
	written := slice.CreationTimestamp.Time
	for _, m := range slice.ManagedFields {
		if m.Time != nil && m.Time.After(written) {
			written = m.Time.Time
		}
	}
	for _, e := range slice.Endpoints {
		if e.TargetRef != nil && e.Conditions.Ready != nil && *e.Conditions.Ready {
			r[e.TargetRef.Name] = written
		}
	}
}

// reachableSince returns when a pod could be reached: when it was ready, or when the
// endpoints were written, if that may have been for it.
func reachableSince(p *corev1.Pod, written time.Time) time.Time {
	for _, c := range p.Status.Conditions {
		if c.Type != corev1.PodReady {
			continue
		}
		ready := c.LastTransitionTime.Time
		if behind := written.Sub(ready); behind < 0 || behind > maxEndpointLag {
			return ready
		}
		return written
	}
	return written
}
