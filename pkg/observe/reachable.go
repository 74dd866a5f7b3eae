package observe

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
)

// settles is how long a gateway is given to hear of an endpoint. The times that it
// counts from are whole seconds, rounded down.
const settles = 3 * time.Second

// late is by how much endpoints may be written after a pod was ready: what is older
// was among them before.
const late = 2 * time.Minute

// Settling returns the reachable pods that a gateway may not have heard of by now, and
// how long until it has of all. A time further in the future is of a clock that is
// wrong, and says nothing.
func (w *Workload) Settling(now time.Time) (pods int32, left time.Duration) {
	for _, since := range w.Reachable {
		if more := remaining(since, now); more > 0 {
			pods, left = pods+1, max(left, more)
		}
	}
	return pods, max(left, remaining(w.Served, now))
}

// Settled tells that a gateway has heard of the workload's own Service.
func (w *Workload) Settled(now time.Time) bool {
	return !w.Served.IsZero() && remaining(w.Served, now) == 0
}

func remaining(since, now time.Time) time.Duration {
	more := since.Add(settles).Sub(now)
	if more > 2*settles {
		return 0
	}
	return max(0, more)
}

// reachable has the ready pods of a Service by name, and when their endpoints were
// last written.
type reachable map[string]time.Time

func (r reachable) add(slice *discoveryv1.EndpointSlice) {
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

// since is when a pod could be reached: when it was ready, or when the endpoints were
// written, if that may have been for it.
func since(p *corev1.Pod, written time.Time) time.Time {
	for _, c := range p.Status.Conditions {
		if c.Type != corev1.PodReady {
			continue
		}
		ready := c.LastTransitionTime.Time
		if behind := written.Sub(ready); behind < 0 || behind > late {
			return ready
		}
		return written
	}
	return written
}
