package netpolicy

import (
	"fmt"
	"maps"
	"net/netip"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// rule is an ingress or an egress rule: they differ in the name of a field.
type rule struct {
	peers []networkingv1.NetworkPolicyPeer
	ports []networkingv1.NetworkPolicyPort
}

func rules(policy networkingv1.NetworkPolicy, direction networkingv1.PolicyType) []rule {
	var out []rule
	if direction == networkingv1.PolicyTypeIngress {
		for _, r := range policy.Spec.Ingress {
			out = append(out, rule{r.From, r.Ports})
		}
		return out
	}
	for _, r := range policy.Spec.Egress {
		out = append(out, rule{r.To, r.Ports})
	}
	return out
}

// allows reports whether one of the peers and one of the ports match; an empty list
// matches everything.
func (r rule) allows(namespace string, peer, target Endpoint, port Port) (bool, error) {
	if !matchesAnyPort(r.ports, target, port) {
		return false, nil
	}
	if len(r.peers) == 0 {
		return true, nil
	}
	for _, p := range r.peers {
		yes, err := isPeer(p, namespace, peer)
		if yes || err != nil {
			return yes, err
		}
	}
	return false, nil
}

// isPeer reports whether an endpoint matches. A pod selector alone selects pods of
// the policy's own namespace.
func isPeer(p networkingv1.NetworkPolicyPeer, namespace string, e Endpoint) (bool, error) {
	if p.IPBlock != nil {
		return inBlock(p.IPBlock, e.IP)
	}
	if e.Namespace == "" {
		return false, nil
	}
	if p.NamespaceSelector == nil {
		if e.Namespace != namespace {
			return false, nil
		}
	} else if yes, err := matchesSelector(p.NamespaceSelector, namespaceLabels(e)); !yes || err != nil {
		return false, err
	}
	if p.PodSelector == nil {
		return true, nil
	}
	return matchesSelector(p.PodSelector, e.Labels)
}

func namespaceLabels(e Endpoint) map[string]string {
	set := map[string]string{}
	maps.Copy(set, e.NamespaceLabels)
	set[corev1.LabelMetadataName] = e.Namespace
	return set
}

func inBlock(block *networkingv1.IPBlock, ip netip.Addr) (bool, error) {
	in, err := cidrContains(block.CIDR, ip)
	if !in || err != nil {
		return false, err
	}
	for _, hole := range block.Except {
		if out, err := cidrContains(hole, ip); out || err != nil {
			return false, err
		}
	}
	return true, nil
}

func cidrContains(cidr string, ip netip.Addr) (bool, error) {
	prefix, err := netip.ParsePrefix(cidr)
	if err != nil {
		return false, fmt.Errorf("ipBlock: %w", err)
	}
	return prefix.Contains(ip), nil
}

func matchesAnyPort(ports []networkingv1.NetworkPolicyPort, target Endpoint, port Port) bool {
	if len(ports) == 0 {
		return true
	}
	for _, p := range ports {
		if isPort(p, target, port) {
			return true
		}
	}
	return false
}

// isPort reports whether a port matches. A name is that of a port of the target's
// containers, so it may mean different numbers for two pods.
func isPort(p networkingv1.NetworkPolicyPort, target Endpoint, port Port) bool {
	protocol := corev1.ProtocolTCP
	if p.Protocol != nil {
		protocol = *p.Protocol
	}
	switch {
	case protocol != port.Protocol:
		return false
	case p.Port == nil:
		return true
	case p.Port.Type == intstr.String:
		return matchesNamedPort(target, p.Port.StrVal, port)
	case p.EndPort != nil:
		return port.Number >= p.Port.IntVal && port.Number <= *p.EndPort
	default:
		return port.Number == p.Port.IntVal
	}
}

func matchesNamedPort(target Endpoint, name string, port Port) bool {
	for _, c := range target.Ports {
		protocol := c.Protocol
		if protocol == "" {
			protocol = corev1.ProtocolTCP
		}
		if c.Name == name && c.ContainerPort == port.Number && protocol == port.Protocol {
			return true
		}
	}
	return false
}
