package diagnose

import (
	"strings"

	corev1 "k8s.io/api/core/v1"

	"gati.dev/gati/pkg/lazyregexp"
	"gati.dev/gati/pkg/printable"
)

// reasonNotReady is the reason of a pod that runs and whose readiness check fails.
const reasonNotReady = "NotReady"

// EventUnhealthy is the reason of the Event by which a kubelet reports a probe that fails.
const EventUnhealthy = "Unhealthy"

// readinessAnswer matches the message of such an Event about a readiness check.
var readinessAnswer = lazyregexp.New(`^Readiness probe [a-z]+: ([^\n]*)`)

// AddProbeAnswer names the last answer of a readiness check that fails, by the Events of the
// kubelet.
func (p *Problem) AddProbeAnswer(pod *corev1.Pod, events []corev1.Event) {
	if p.Reason != reasonNotReady {
		return
	}
	var last *corev1.Event
	answer := ""
	for i := range events {
		e := &events[i]
		if e.Reason != EventUnhealthy || e.InvolvedObject.UID != pod.UID || last != nil && !last.LastTimestamp.Before(&e.LastTimestamp) {
			continue
		}
		if found := readinessAnswer.FindStringSubmatch(e.Message); found != nil {
			last, answer = e, found[1]
		}
	}
	if last == nil {
		return
	}
	p.Message += ": " + printable.OneLine(strings.TrimSpace(answer))
	if strings.Contains(answer, "statuscode: 404") {
		p.Next = "set spec.healthCheck.path to a path that the application serves"
	}
}
