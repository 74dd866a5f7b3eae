package control

import (
	"net/netip"

	"gati.dev/gati/devcluster/internal/ports"
)

// Network has the requirements of nodes for their control plane.
type Network struct {
	// Address is where the API server listens instead of on loopback, for real
	// pods and kubelets to reach it. It is one that only this machine and its
	// node know.
	Address string
	// Services is the range of Service addresses instead of ServiceRange: it
	// must be the cluster's own where addresses lead somewhere.
	Services string
	// After names the components that make Address.
	After []string
}

// Real reports whether there are kubelets to speak to.
func (n Network) Real() bool { return n.Address != "" }

func (n Network) apiAddress() string {
	if n.Real() {
		return n.Address
	}
	return ports.Loopback
}

func (n Network) serviceRange() netip.Prefix {
	if n.Services != "" {
		return netip.MustParsePrefix(n.Services)
	}
	return netip.MustParsePrefix(ServiceRange)
}

// serviceIP is the first address of the range, which the API server gives to
// the Service "kubernetes".
func (n Network) serviceIP() string { return n.serviceRange().Addr().Next().String() }

// endpointArgs say how pods find the API server: by the Service "kubernetes",
// if they can reach it at all.
func (c Config) endpointArgs() []string {
	if !c.Network.Real() {
		// The API server refuses to announce a loopback address to pods.
		return []string{"--endpoint-reconciler-type=none"}
	}
	return []string{
		formatFlag("advertise-address", c.Network.Address),
		c.pkiFlag("kubelet-certificate-authority", clusterCA),
		c.pkiFlag("kubelet-client-certificate", kubeletClient+".crt"),
		c.pkiFlag("kubelet-client-key", kubeletClient+".key"),
		"--kubelet-preferred-address-types=InternalIP",
	}
}
