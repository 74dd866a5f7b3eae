package control

import (
	"slices"

	"gati.dev/gati/devcluster/internal/ports"
)

// controllerManagerArgs are the arguments of kube-controller-manager. Each
// controller acts as its own service account, so that it has the same rights as in
// any cluster.
func (c Config) controllerManagerArgs() []string {
	args := append(c.clientArgs(ControllerManager),
		"--use-service-account-credentials=true",
		c.pki("service-account-private-key-file", "sa.key"),
		c.pki("root-ca-file", clusterCA),
		c.pki("cluster-signing-cert-file", clusterCA),
		c.pki("cluster-signing-key-file", "ca.key"),
	)
	if c.Network.Real() {
		return args
	}
	return append(args,
		// A simulated node cannot die, but on a busy machine its heartbeats come
		// late, and its pods would be marked unready for good: no kubelet is there
		// to mark them ready again.
		"--node-monitor-grace-period=24h",
		// Endpoints are deprecated: what reads the addresses of simulated pods
		// reads EndpointSlices. With each change of a pod the other controller
		// writes the same once more.
		"--controllers=*,-endpoints-controller",
	)
}

func (c Config) schedulerArgs() []string { return c.clientArgs(Scheduler) }

// clientArgs are those that controller manager and scheduler share.
func (c Config) clientArgs(name string) []string {
	kubeconfig := KubeconfigFile(c.Dir, name)
	return slices.Concat([]string{
		flag("kubeconfig", kubeconfig),
		flag("authentication-kubeconfig", kubeconfig),
		flag("authorization-kubeconfig", kubeconfig),
		flag("bind-address", ports.Loopback),
		c.port("secure-port", name),
		c.pki("tls-cert-file", "server.crt"),
		c.pki("tls-private-key-file", "server.key"),
		// There is only one of each, so there is no other to hand over to.
		"--leader-elect=false",
		// The defaults, 20 and 50 requests a second, are what a scale test
		// would measure.
		"--kube-api-qps=500",
		"--kube-api-burst=1000",
	})
}
