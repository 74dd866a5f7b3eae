package adopt

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// service is a Service that leads to the workload's pods. It stays, so nothing of it is
// translated but the port.
type service struct {
	name string
	spec corev1.ServiceSpec
}

// findServices returns the Services that lead to the workload's pods.
func (t *translation) findServices() []service {
	var out []service
	for _, u := range t.source.Others {
		if u.GetKind() != "Service" || u.GroupVersionKind().Group != "" {
			continue
		}
		spec, isDecoded := decodeAs[corev1.ServiceSpec](u.Object["spec"])
		if isDecoded && len(spec.Selector) > 0 && isSubset(spec.Selector, t.labels) {
			out = append(out, service{u.GetName(), spec})
		}
	}
	return out
}

// chooseService finds the Service that the port is taken from.
func (t *translation) chooseService() error {
	all := t.findServices()
	var names []string
	for i := range all {
		names = append(names, all[i].name)
		if t.options.Service == all[i].name {
			t.service = &all[i]
		}
	}
	switch {
	case t.service != nil:
	case t.options.Service != "":
		return fmt.Errorf("no Service %s selects these pods; those that do: %s", t.options.Service, strings.Join(append(names, "none")[:max(1, len(names))], ", "))
	case len(all) == 1:
		t.service = &all[0]
	case len(all) > 1:
		// Several that lead to one port are one for our purpose: a headless one beside another.
		first := all[0].targetPort()
		if slices.ContainsFunc(all, func(s service) bool { return s.targetPort() != first }) && t.options.Port == 0 {
			return fmt.Errorf("%d Services select these pods, by different ports: choose one of %s with --service", len(all), strings.Join(names, ", "))
		}
		t.service = &all[0]
	}
	return nil
}

// targetPort returns the container's port that the Service leads to: that of its port http,
// else of the first.
func (s *service) targetPort() intstr.IntOrString {
	if s == nil || len(s.spec.Ports) == 0 {
		return intstr.IntOrString{}
	}
	at := max(0, slices.IndexFunc(s.spec.Ports, func(p corev1.ServicePort) bool { return p.Name == "http" }))
	port := s.spec.Ports[at]
	if port.TargetPort == (intstr.IntOrString{}) {
		return intstr.FromInt32(port.Port)
	}
	return port.TargetPort
}

// serviceSelectors returns the labels by which Services and budgets select the pods.
func (t *translation) serviceSelectors() (out []map[string]string) {
	for _, s := range t.findServices() {
		out = append(out, s.spec.Selector)
	}
	for _, u := range t.source.Others {
		if u.GetKind() == "PodDisruptionBudget" && isSelectedBy(u, t.labels) {
			out = append(out, matchLabels(u))
		}
	}
	return out
}

func matchLabels(u unstructured.Unstructured) map[string]string {
	labels, _, _ := unstructured.NestedStringMap(u.Object, "spec", "selector", "matchLabels")
	return labels
}

func isSelectedBy(u unstructured.Unstructured, labels map[string]string) bool {
	selector := matchLabels(u)
	return len(selector) > 0 && isSubset(selector, labels)
}

// leadsToService reports whether a name is that of a Service that leads to the pods.
func (t *translation) leadsToService(name string) bool {
	return slices.ContainsFunc(t.findServices(), func(s service) bool { return s.name == name })
}
