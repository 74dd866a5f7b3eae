package control

import (
	"slices"
	"strings"

	"gati.dev/gati/devcluster/internal/ports"
)

// controllerManagerArgs are the arguments of kube-controller-manager. Each
// controller acts as its own service account, so that it has the same rights as in
// any cluster.
func (c Config) controllerManagerArgs() []string {
	args := append(c.clientArgs(ControllerManager),
		"--use-service-account-credentials=true",
		c.pkiFlag("service-account-private-key-file", "sa.key"),
		c.pkiFlag("root-ca-file", clusterCA),
		c.pkiFlag("cluster-signing-cert-file", clusterCA),
		c.pkiFlag("cluster-signing-key-file", "ca.key"),
	)
	if c.Network.Real() {
		return args
	}
	return append(args,
		// A simulated node cannot die, but on a busy machine its heartbeats come
		// late, and its pods would be marked unready for good: no kubelet is there
		// to mark them ready again.
		"--node-monitor-grace-period=24h",
		formatFlag("controllers", "*,-"+strings.Join(withoutWork, ",-")),
	)
}

// withoutWork are controllers that do nothing for simulated nodes and pods, and cost CPU all
// the same: volumes, devices, and certificates of nodes. Endpoints are deprecated: what reads
// the addresses of pods reads EndpointSlices, and with each change of a pod another controller
// would write the same once more.
var withoutWork = []string{
	"certificatesigningrequest-approving-controller",
	"certificatesigningrequest-cleaner-controller",
	"certificatesigningrequest-signing-controller",
	"device-taint-eviction-controller",
	"endpoints-controller",
	"endpointslice-mirroring-controller",
	"ephemeral-volume-controller",
	"kube-apiserver-serving-clustertrustbundle-publisher-controller",
	"legacy-serviceaccount-token-cleaner-controller",
	"node-ipam-controller",
	"persistentvolume-attach-detach-controller",
	"persistentvolume-binder-controller",
	"persistentvolume-expander-controller",
	"persistentvolume-protection-controller",
	"persistentvolumeclaim-protection-controller",
	"podcertificaterequest-cleaner-controller",
	"resourceclaim-controller",
	"resourcepoolstatusrequest-controller",
	"storage-version-migrator-controller",
	"ttl-controller",
	"volumeattributesclass-protection-controller",
}

func (c Config) schedulerArgs() []string { return c.clientArgs(Scheduler) }

// clientArgs are those that controller manager and scheduler share.
func (c Config) clientArgs(name string) []string {
	kubeconfig := KubeconfigFile(c.Dir, name)
	return slices.Concat([]string{
		formatFlag("kubeconfig", kubeconfig),
		formatFlag("authentication-kubeconfig", kubeconfig),
		formatFlag("authorization-kubeconfig", kubeconfig),
		formatFlag("bind-address", ports.Loopback),
		c.portFlag("secure-port", name),
		c.pkiFlag("tls-cert-file", "server.crt"),
		c.pkiFlag("tls-private-key-file", "server.key"),
		// There is only one of each, so there is no other to hand over to.
		"--leader-elect=false",
		// The defaults, 20 and 50 requests a second, are what a scale test
		// would measure.
		"--kube-api-qps=500",
		"--kube-api-burst=1000",
	})
}
