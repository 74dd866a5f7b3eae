package expand

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// maxPorts is how many ports Services keep beside those that are in use.
const maxPorts = 16

// ServedPorts returns the ports of an object's Services: those of its status, and those
// in use, which the spec and the live revisions have. Callers of an earlier port must
// not notice that spec.port changed.
//
// The first port never changes, because routes use it. Where the status has no ports it is
// the declared one, as in releases without status.ports, and those of the kept revisions
// are added.
func ServedPorts(status []int32, declared int32, live, kept []Revision) []int32 {
	inUse := []int32{declared}
	for _, r := range live {
		inUse = append(inUse, r.listenPorts()...)
	}
	out := slices.Clone(status)
	if len(status) == 0 {
		out = append(out, inUse...)
		for _, r := range kept {
			out = append(out, r.listenPorts()...)
		}
	}
	out = withoutRepeats(append(out, inUse...))
	for i := 1; i < len(out) && len(out) > maxPorts; {
		if slices.Contains(inUse, out[i]) {
			i++
			continue
		}
		out = slices.Delete(out, i, i+1)
	}
	return out
}

func withoutRepeats(ports []int32) []int32 {
	var out []int32
	for _, p := range ports {
		if !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	return out
}

// listenPorts returns the ports that pods of the revision listen on.
func (r Revision) listenPorts() []int32 {
	var out []int32
	for _, c := range r.Template.Spec.Containers {
		for _, p := range c.Ports {
			out = append(out, p.ContainerPort)
		}
	}
	return out
}

// PodPort returns the port that a handler's own container listens on, 0 where it names none.
func PodPort(pod *corev1.PodSpec) int32 {
	for _, c := range pod.Containers {
		for _, p := range c.Ports {
			if p.Name == HandlerPort || p.Name == proxiedPort {
				return p.ContainerPort
			}
		}
	}
	return 0
}

// servicePorts returns the ports of a Service. Each leads to the named port of a pod, so
// pods of two templates may listen on different ports. A port keeps its name, because
// proxies find endpoints by it.
func servicePorts(portName string, numbers []int32) []corev1.ServicePort {
	var out []corev1.ServicePort
	for i, number := range numbers {
		name := portName
		if i > 0 {
			name = fmt.Sprintf("%s-%d", portName, number)
		}
		out = append(out, corev1.ServicePort{Name: name, Port: number, TargetPort: intstr.FromString(portName), Protocol: corev1.ProtocolTCP})
	}
	return out
}
