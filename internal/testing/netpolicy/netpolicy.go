package netpolicy

import (
	"fmt"
	"net/netip"
	"slices"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// Endpoint is one end of a connection: a pod, or an address outside the cluster.
type Endpoint struct {
	Namespace string
	// NamespaceLabels are the labels of the namespace. Its name, which the API
	// server adds as a label, need not be repeated.
	NamespaceLabels map[string]string
	Labels          map[string]string
	// Ports are the named ports of the pod's containers.
	Ports []corev1.ContainerPort
	IP    netip.Addr
}

// Pod returns the endpoint of a pod made from a template.
func Pod(namespace string, template corev1.PodTemplateSpec) Endpoint {
	e := Endpoint{Namespace: namespace, Labels: template.Labels}
	for _, c := range template.Spec.Containers {
		e.Ports = append(e.Ports, c.Ports...)
	}
	return e
}

// Port is the target of a connection; TCP unless set.
type Port struct {
	Protocol corev1.Protocol
	Number   int32
}

// Policies are all the policies of a cluster.
type Policies []networkingv1.NetworkPolicy

// Allows reports whether a connection may leave one pod and enter the other. An
// error is a policy that no API server would have stored.
func (p Policies) Allows(from, to Endpoint, port Port) (bool, error) {
	if port.Protocol == "" {
		port.Protocol = corev1.ProtocolTCP
	}
	leaves, err := p.allowedIn(networkingv1.PolicyTypeEgress, from, to, to, port)
	if err != nil || !leaves {
		return false, err
	}
	return p.allowedIn(networkingv1.PolicyTypeIngress, to, from, to, port)
}

// allowedIn reports whether the policies that isolate a pod in one direction allow
// the peer. The port is always that of the target.
func (p Policies) allowedIn(direction networkingv1.PolicyType, pod, peer, target Endpoint, port Port) (bool, error) {
	isolated := false
	for _, policy := range p {
		applies, err := isolates(policy, pod, direction)
		if err != nil {
			return false, fmt.Errorf("policy %s/%s: %w", policy.Namespace, policy.Name, err)
		}
		if !applies {
			continue
		}
		isolated = true
		for _, r := range rules(policy, direction) {
			yes, err := r.allows(policy.Namespace, peer, target, port)
			if err != nil {
				return false, fmt.Errorf("policy %s/%s: %w", policy.Namespace, policy.Name, err)
			}
			if yes {
				return true, nil
			}
		}
	}
	return !isolated, nil
}

// isolates reports whether a policy isolates a pod in a direction.
func isolates(policy networkingv1.NetworkPolicy, pod Endpoint, direction networkingv1.PolicyType) (bool, error) {
	if pod.Namespace == "" || pod.Namespace != policy.Namespace || !slices.Contains(directions(policy), direction) {
		return false, nil
	}
	return matchesSelector(&policy.Spec.PodSelector, pod.Labels)
}

// directions returns a policy's directions. By default it applies to ingress, and
// to egress if it has rules for that.
func directions(policy networkingv1.NetworkPolicy) []networkingv1.PolicyType {
	switch {
	case len(policy.Spec.PolicyTypes) > 0:
		return policy.Spec.PolicyTypes
	case len(policy.Spec.Egress) > 0:
		return []networkingv1.PolicyType{networkingv1.PolicyTypeIngress, networkingv1.PolicyTypeEgress}
	default:
		return []networkingv1.PolicyType{networkingv1.PolicyTypeIngress}
	}
}

// matchesSelector reports whether a selector matches; the empty one matches
// everything.
func matchesSelector(selector *metav1.LabelSelector, set map[string]string) (bool, error) {
	s, err := metav1.LabelSelectorAsSelector(selector)
	if err != nil {
		return false, err
	}
	return s.Matches(labels.Set(set)), nil
}
