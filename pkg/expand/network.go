package expand

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	v1 "gati.dev/gati/api/v1"
)

// newNetworkPolicy returns the policy of a module. Egress is denied unless a
// capability grants it; ingress is limited to the module's namespace unless a
// capability opens it.
func (w Workload) newNetworkPolicy(portName string, capabilities []v1.Capability) *networkingv1.NetworkPolicy {
	has := func(names ...v1.Capability) bool {
		return slices.ContainsFunc(names, func(n v1.Capability) bool { return slices.Contains(capabilities, n) })
	}
	policy := &networkingv1.NetworkPolicy{
		TypeMeta:   metav1.TypeMeta{APIVersion: "networking.k8s.io/v1", Kind: "NetworkPolicy"},
		ObjectMeta: w.owner.objectMeta(w.name, nil),
		Spec: networkingv1.NetworkPolicySpec{
			PodSelector: metav1.LabelSelector{MatchLabels: w.owner.podSelector(w.Workload)},
			PolicyTypes: []networkingv1.PolicyType{networkingv1.PolicyTypeIngress, networkingv1.PolicyTypeEgress},
			Ingress:     []networkingv1.NetworkPolicyIngressRule{ingressRule(portName, has(v1.CapabilityNetwork, v1.CapabilityNetworkIngress))},
		},
	}
	if has(v1.CapabilityMetricsWrite) {
		policy.Spec.Ingress[0].From = withScrapers(policy.Spec.Ingress[0].From)
	}
	switch {
	case has(v1.CapabilityNetwork, v1.CapabilityNetworkEgress):
		policy.Spec.Egress = []networkingv1.NetworkPolicyEgressRule{{}}
	case has(v1.CapabilityDatabaseRead, v1.CapabilityDatabaseWrite, v1.CapabilityCacheRead, v1.CapabilityCacheWrite):
		policy.Spec.Egress = []networkingv1.NetworkPolicyEgressRule{sameNamespaceEgress(), dnsEgress()}
	}
	return policy
}

// ingressRule opens the port by name, so that pods of both templates are reachable
// while a changed port rolls out.
func ingressRule(portName string, open bool) networkingv1.NetworkPolicyIngressRule {
	port, tcp := intstr.FromString(portName), corev1.ProtocolTCP
	rule := networkingv1.NetworkPolicyIngressRule{
		Ports: []networkingv1.NetworkPolicyPort{{Port: &port, Protocol: &tcp}},
	}
	if !open {
		rule.From = []networkingv1.NetworkPolicyPeer{{PodSelector: &metav1.LabelSelector{}}}
	}
	return rule
}

// withScrapers adds the namespaces that collect metrics to the callers, unless all may
// call.
func withScrapers(from []networkingv1.NetworkPolicyPeer) []networkingv1.NetworkPolicyPeer {
	if len(from) == 0 {
		return nil
	}
	return append(from, networkingv1.NetworkPolicyPeer{NamespaceSelector: &metav1.LabelSelector{
		MatchLabels: map[string]string{v1.LabelScrape: "true"},
	}})
}

// sameNamespaceEgress allows databases and caches in the module's namespace.
func sameNamespaceEgress() networkingv1.NetworkPolicyEgressRule {
	return networkingv1.NetworkPolicyEgressRule{To: []networkingv1.NetworkPolicyPeer{{PodSelector: &metav1.LabelSelector{}}}}
}

func dnsEgress() networkingv1.NetworkPolicyEgressRule {
	dns, udp, tcp := intstr.FromInt32(53), corev1.ProtocolUDP, corev1.ProtocolTCP
	return networkingv1.NetworkPolicyEgressRule{
		To: []networkingv1.NetworkPolicyPeer{{NamespaceSelector: &metav1.LabelSelector{
			MatchLabels: map[string]string{corev1.LabelMetadataName: metav1.NamespaceSystem},
		}}},
		Ports: []networkingv1.NetworkPolicyPort{{Port: &dns, Protocol: &udp}, {Port: &dns, Protocol: &tcp}},
	}
}
