package control

import (
	"gati.dev/gati/devcluster/internal/kubeconfig"
	"gati.dev/gati/devcluster/internal/pki"
	"gati.dev/gati/devcluster/internal/ports"
)

// fileSet is a set of files by their path in the cluster's directory.
type fileSet map[string][]byte

func (f fileSet) addPair(name string, pair *pki.Pair) {
	f[PKIDir+"/"+name+".crt"], f[PKIDir+"/"+name+".key"] = pair.CertPEM, pair.KeyPEM
}

func (f fileSet) issuePair(name string, ca *pki.Pair, subject pki.Subject) (*pki.Pair, error) {
	pair, err := ca.Issue(subject)
	if err != nil {
		return nil, err
	}
	f.addPair(name, pair)
	return pair, nil
}

// addClients adds a kubeconfig for each identity, and what it serves with.
func (c Config) addClients(files fileSet, ca *pki.Pair, clients []Client) error {
	for _, client := range clients {
		pair, err := ca.Issue(client.Subject)
		if err != nil {
			return err
		}
		files[KubeconfigFile("", client.File)] = c.renderKubeconfig(ca, pair)
		if len(client.Subject.Hosts) > 0 {
			files.addPair(client.File, pair)
		}
	}
	return nil
}

func (c Config) renderKubeconfig(ca, client *pki.Pair) []byte {
	return kubeconfig.Config{
		Server: c.ServerURL(),
		CA:     ca.CertPEM,
		Cert:   client.CertPEM,
		KeyPEM: client.KeyPEM,
	}.Render()
}

// addEtcd adds etcd's own authority: no client certificate of Kubernetes opens
// the store, only the API server's and the launcher's health check do.
func addEtcd(files fileSet) error {
	ca, err := pki.NewCA("devcluster-etcd-ca")
	if err != nil {
		return err
	}
	files[PKIDir+"/"+etcdCA] = ca.CertPEM
	if _, err := files.issuePair("etcd", ca, pki.Subject{Name: Etcd, Hosts: []string{ports.Loopback, "localhost"}, Client: true}); err != nil {
		return err
	}
	_, err = files.issuePair("etcd-client", ca, pki.Subject{Name: "etcd-client", Client: true})
	return err
}

// addFrontProxy adds the authority by which aggregated API servers recognise the
// API server. It must differ from that of the clients: its certificates can
// impersonate any user.
func addFrontProxy(files fileSet) error {
	ca, err := pki.NewCA("devcluster-front-proxy-ca")
	if err != nil {
		return err
	}
	files[PKIDir+"/"+frontProxyCA] = ca.CertPEM
	_, err = files.issuePair(frontProxyClient, ca, pki.Subject{Name: frontProxyClient, Client: true})
	return err
}
