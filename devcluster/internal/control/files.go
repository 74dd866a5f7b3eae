package control

import (
	"path/filepath"

	"gati.dev/gati/devcluster/internal/pki"
	"gati.dev/gati/devcluster/internal/ports"
)

// Admin is the name of the administrator's certificate and kubeconfig.
const Admin = "admin"

// What a control plane keeps in a cluster's directory.
const (
	// LogDir has a log for each component, and the audit log.
	LogDir = "logs"
	// PKIDir has keys, certificates and the components' kubeconfigs.
	PKIDir = "pki"
	// DataDir has etcd's data.
	DataDir = "data"
	// ConfigDir has configuration files of the components.
	ConfigDir = "config"

	auditPolicyFile = ConfigDir + "/audit-policy.yaml"
)

// File names and identities that occur in more than one place.
const (
	clusterCA, etcdCA, frontProxyCA = "ca.crt", "etcd-ca.crt", "front-proxy-ca.crt"

	frontProxyClient = "front-proxy-client"
	// kubeletClient is the API server towards a kubelet: for logs, exec, and
	// clients of a node's metrics.
	kubeletClient = "kubelet-client"
)

// KubeconfigFile is where the kubeconfig of a component lies.
func KubeconfigFile(dir, component string) string {
	return filepath.Join(dir, PKIDir, component+".kubeconfig")
}

// serverHosts are the names by which the API server may be called.
func (c Config) serverHosts() []string {
	hosts := []string{
		ports.Loopback, "localhost", c.Network.serviceIP(),
		"kubernetes", "kubernetes.default", "kubernetes.default.svc", "kubernetes.default.svc.cluster.local",
	}
	if c.Network.Real() {
		hosts = append(hosts, c.Network.Address)
	}
	return hosts
}

// Files makes new keys and returns all files the control plane reads, by their
// path in the cluster's directory.
func (c Config) Files() (map[string][]byte, error) {
	files := fileSet{auditPolicyFile: []byte(auditPolicy)}
	private, public, err := pki.NewSigningKey()
	if err != nil {
		return nil, err
	}
	files[PKIDir+"/sa.key"], files[PKIDir+"/sa.pub"] = private, public
	for _, add := range []func(fileSet) error{c.addCluster, addEtcd, addFrontProxy} {
		if err := add(files); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// addCluster adds the authority that names users and servers of Kubernetes.
func (c Config) addCluster(files fileSet) error {
	ca, err := pki.NewCA("devcluster-ca")
	if err != nil {
		return err
	}
	files.addPair("ca", ca)
	if _, err := files.issuePair("server", ca, pki.Subject{Name: APIServer, Hosts: c.serverHosts()}); err != nil {
		return err
	}
	// Members of system:masters need no RBAC rule, so the administrator works
	// even when a test has broken all of them.
	pair, err := files.issuePair(Admin, ca, pki.Subject{Name: "devcluster-admin", Groups: []string{"system:masters"}, Client: true})
	if err != nil {
		return err
	}
	files[KubeconfigFile("", Admin)] = c.renderKubeconfig(ca, pair)
	if c.Network.Real() {
		subject := pki.Subject{Name: kubeletClient, Groups: []string{"system:masters"}, Client: true}
		if _, err := files.issuePair(kubeletClient, ca, subject); err != nil {
			return err
		}
	}
	return c.addClients(files, ca, append([]Client{
		{ControllerManager, pki.Subject{Name: "system:" + ControllerManager, Client: true}},
		{Scheduler, pki.Subject{Name: "system:" + Scheduler, Client: true}},
	}, c.Clients...))
}
