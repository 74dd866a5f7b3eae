package control

import (
	"strings"

	"gati.dev/gati/devcluster/internal/kubeconfig"
	"gati.dev/gati/devcluster/internal/pki"
)

// fileSet is a set of files by their path in the cluster's directory.
type fileSet map[string][]byte

func (f fileSet) pair(name string, pair *pki.Pair) {
	f[PKIDir+"/"+name+".crt"], f[PKIDir+"/"+name+".key"] = pair.CertPEM, pair.KeyPEM
}

func (f fileSet) issue(name string, ca *pki.Pair, subject pki.Subject) (*pki.Pair, error) {
	pair, err := ca.Issue(subject)
	if err != nil {
		return nil, err
	}
	f.pair(name, pair)
	return pair, nil
}

// addClients adds a kubeconfig for each identity, under its name without the
// prefix that marks Kubernetes' own.
func (c Config) addClients(files fileSet, ca *pki.Pair, clients []pki.Subject) error {
	for _, subject := range clients {
		pair, err := ca.Issue(subject)
		if err != nil {
			return err
		}
		files[KubeconfigFile("", strings.TrimPrefix(subject.Name, "system:"))] = c.kubeconfig(ca, pair)
	}
	return nil
}

func (c Config) kubeconfig(ca, client *pki.Pair) []byte {
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
	if _, err := files.issue("etcd", ca, pki.Subject{Name: Etcd, Hosts: serverHosts[:2], Client: true}); err != nil {
		return err
	}
	_, err = files.issue("etcd-client", ca, pki.Subject{Name: "etcd-client", Client: true})
	return err
}

// addFrontProxy adds the authority by which aggregated API servers know the
// API server. It must be another than the clients': whoever has a certificate
// of this one may speak in anybody's name.
func addFrontProxy(files fileSet) error {
	ca, err := pki.NewCA("devcluster-front-proxy-ca")
	if err != nil {
		return err
	}
	files[PKIDir+"/"+frontProxyCA] = ca.CertPEM
	_, err = files.issue(frontProxyClient, ca, pki.Subject{Name: frontProxyClient, Client: true})
	return err
}
