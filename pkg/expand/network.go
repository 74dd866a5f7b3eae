package expand

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	v1 "gati.dev/gati/api/v1"
)

// networkPolicy returns what a module may reach and who may reach it. Calls out
// are denied unless a capability grants them; calls in come from the module's
// own namespace unless one opens it.
func (w workload) networkPolicy(portName string, capabilities []v1.Capability) *networkingv1.NetworkPolicy {
	has := func(names ...v1.Capability) bool {
		return slices.ContainsFunc(names, func(n v1.Capability) bool { return slices.Contains(capabilities, n) })
	}
	policy := &networkingv1.NetworkPolicy{
		TypeMeta:   metav1.TypeMeta{APIVersion: "networking.k8s.io/v1", Kind: "NetworkPolicy"},
		ObjectMeta: w.owner.object(w.name, nil),
		Spec: networkingv1.NetworkPolicySpec{
			PodSelector: metav1.LabelSelector{MatchLabels: w.owner.selector(w.workload)},
			PolicyTypes: []networkingv1.PolicyType{networkingv1.PolicyTypeIngress, networkingv1.PolicyTypeEgress},
			Ingress:     []networkingv1.NetworkPolicyIngressRule{ingress(portName, has(v1.CapabilityNetwork, v1.CapabilityNetworkIngress))},
		},
	}
	switch {
	case has(v1.CapabilityNetwork, v1.CapabilityNetworkEgress):
		policy.Spec.Egress = []networkingv1.NetworkPolicyEgressRule{{}}
	case has(v1.CapabilityDatabaseRead, v1.CapabilityDatabaseWrite, v1.CapabilityCacheRead, v1.CapabilityCacheWrite):
		policy.Spec.Egress = []networkingv1.NetworkPolicyEgressRule{sameNamespace(), nameResolution()}
	}
	return policy
}

// ingress opens the port by name: while a changed port rolls out, pods of either
// template are reached.
func ingress(portName string, open bool) networkingv1.NetworkPolicyIngressRule {
	port, tcp := intstr.FromString(portName), corev1.ProtocolTCP
	rule := networkingv1.NetworkPolicyIngressRule{
		Ports: []networkingv1.NetworkPolicyPort{{Port: &port, Protocol: &tcp}},
	}
	if !open {
		rule.From = []networkingv1.NetworkPolicyPeer{{PodSelector: &metav1.LabelSelector{}}}
	}
	return rule
}

// sameNamespace is what the capabilities of databases and caches reach: those
// that run beside the module.
func sameNamespace() networkingv1.NetworkPolicyEgressRule {
	return networkingv1.NetworkPolicyEgressRule{To: []networkingv1.NetworkPolicyPeer{{PodSelector: &metav1.LabelSelector{}}}}
}

func nameResolution() networkingv1.NetworkPolicyEgressRule {
	dns, udp, tcp := intstr.FromInt32(53), corev1.ProtocolUDP, corev1.ProtocolTCP
	return networkingv1.NetworkPolicyEgressRule{
		To: []networkingv1.NetworkPolicyPeer{{NamespaceSelector: &metav1.LabelSelector{
			MatchLabels: map[string]string{corev1.LabelMetadataName: metav1.NamespaceSystem},
		}}},
		Ports: []networkingv1.NetworkPolicyPort{{Port: &dns, Protocol: &udp}, {Port: &dns, Protocol: &tcp}},
	}
}
