package machine

import (
	"fmt"

	"gati.dev/gati/devcluster/internal/control"
	"gati.dev/gati/devcluster/internal/sandbox"
	"gati.dev/gati/devcluster/internal/state"
)

// The names of the components, and of their executables where there is one.
const (
	// Holder holds the node's namespaces.
	Holder        = "node"
	Containerd    = "containerd"
	Kubelet       = "kubelet"
	Proxy         = "kube-proxy"
	MetricsServer = "metrics-server"
)

// ContainerdSocket is where containerd listens, inside.
const ContainerdSocket = "/run/containerd/containerd.sock"

// The ports of the node are the same in every cluster, because each has a
// network of its own.
const (
	containerdPort   = 1338
	kubeletHealth    = 10248
	proxyMetricsPort = 10249
	proxyHealth      = 10256
)

// HolderComponent must run before the control plane, which listens on the machine's
// end of the link.
func (l Layout) HolderComponent() state.Component {
	path, args := sandbox.Holder()
	return state.Component{Name: Holder, Path: path, Args: args}
}

// Components returns what the node is made of.
func (l Layout) Components() []state.Component {
	return []state.Component{l.containerd(), l.kubelet(), l.proxy(), l.dns(), l.metricsServer()}
}

func (l Layout) containerd() state.Component {
	return state.Component{
		Name: Containerd,
		Path: l.assetPath(Containerd),
		Args: []string{"--config=" + l.configPath(containerdFile)},
		// It looks for its shim in PATH.
		Env:    []string{"PATH=" + l.Assets + ":/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"},
		URL:    l.nodeURL(containerdPort),
		Health: "/v1/metrics",
		After:  []string{Holder},
		Inside: Holder,
	}
}

func (l Layout) kubelet() state.Component {
	return state.Component{
		Name: Kubelet,
		Path: l.assetPath(Kubelet),
		Args: []string{
			"--config=" + l.configPath(kubeletFile),
			"--kubeconfig=" + control.KubeconfigFile(l.Dir, Kubelet),
			"--hostname-override=" + NodeName,
			"--node-ip=" + l.Node(),
		},
		Env:    []string{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"},
		URL:    l.nodeURL(kubeletHealth),
		Health: "/healthz",
		After:  []string{Containerd, control.APIServer},
		Inside: Holder,
	}
}

func (l Layout) proxy() state.Component {
	return state.Component{
		Name:   Proxy,
		Path:   l.assetPath(Proxy),
		Args:   []string{"--config=" + l.configPath(proxyFile)},
		Env:    []string{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"},
		URL:    l.nodeURL(proxyHealth),
		Health: "/livez",
		// Without the node's object it does not know the node's address.
		After:  []string{Kubelet, control.APIServer},
		Inside: Holder,
	}
}

// metricsServer runs beside the node, where it takes nothing of what pods may
// have. The API server finds it by an EndpointSlice.
func (l Layout) metricsServer() state.Component {
	kubeconfig := control.KubeconfigFile(l.Dir, MetricsServer)
	return state.Component{
		Name: MetricsServer,
		Path: l.assetPath(MetricsServer),
		Args: []string{
			"--kubeconfig=" + kubeconfig,
			"--authentication-kubeconfig=" + kubeconfig,
			"--authorization-kubeconfig=" + kubeconfig,
			"--bind-address=" + l.Host(),
			fmt.Sprintf("--secure-port=%d", l.Ports[MetricsServer]),
			"--tls-cert-file=" + l.pkiPath(MetricsServer+".crt"),
			"--tls-private-key-file=" + l.pkiPath(MetricsServer+".key"),
			"--kubelet-certificate-authority=" + l.pkiPath("ca.crt"),
			"--kubelet-preferred-address-types=InternalIP",
			"--metric-resolution=10s",
			"--kubelet-request-timeout=5s",
		},
		URL:    fmt.Sprintf("https://%s:%d", l.Host(), l.Ports[MetricsServer]),
		Health: "/livez",
		Ports:  []string{MetricsServer},
		After:  []string{control.APIServer},
	}
}

func (l Layout) nodeURL(port int) string { return fmt.Sprintf("http://%s:%d", l.Node(), port) }
