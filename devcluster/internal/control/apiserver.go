package control

import (
	"path/filepath"
	"slices"
)

// issuer of the service accounts' tokens, as in any cluster.
const issuer = "https://kubernetes.default.svc.cluster.local"

func (c Config) apiServerArgs() []string {
	return slices.Concat(c.servingArgs(), c.storageArgs(), c.authArgs(), c.auditArgs(), c.endpointArgs(), []string{
		formatFlag("service-cluster-ip-range", c.Network.serviceRange().String()),
		"--allow-privileged=true",
		// Webhooks and aggregated APIs are called by their endpoints, because
		// there may be no kube-proxy on this machine to give a Service's
		// address a meaning.
		"--enable-aggregator-routing=true",
		// Four times the defaults: a test client bursts, and should measure
		// what it tests, not the queue.
		"--max-requests-inflight=1600",
		"--max-mutating-requests-inflight=800",
	})
}

func (c Config) servingArgs() []string {
	return []string{
		formatFlag("bind-address", c.Network.apiAddress()),
		c.portFlag("secure-port", APIServer),
		c.pkiFlag("tls-cert-file", "server.crt"),
		c.pkiFlag("tls-private-key-file", "server.key"),
	}
}

func (c Config) storageArgs() []string {
	return []string{
		formatFlag("etcd-servers", c.componentURL(Etcd)),
		c.pkiFlag("etcd-cafile", etcdCA),
		c.pkiFlag("etcd-certfile", "etcd-client.crt"),
		c.pkiFlag("etcd-keyfile", "etcd-client.key"),
	}
}

// authArgs configure authentication and authorization. Admission has its defaults,
// ServiceAccount among them, and NodeRestriction as in every real cluster.
func (c Config) authArgs() []string {
	return []string{
		c.pkiFlag("client-ca-file", clusterCA),
		"--authorization-mode=Node,RBAC",
		"--enable-admission-plugins=NodeRestriction",
		formatFlag("service-account-issuer", issuer),
		c.pkiFlag("service-account-key-file", "sa.pub"),
		c.pkiFlag("service-account-signing-key-file", "sa.key"),
		c.pkiFlag("proxy-client-cert-file", "front-proxy-client.crt"),
		c.pkiFlag("proxy-client-key-file", "front-proxy-client.key"),
		c.pkiFlag("requestheader-client-ca-file", frontProxyCA),
		formatFlag("requestheader-allowed-names", frontProxyClient),
		"--requestheader-username-headers=X-Remote-User",
		"--requestheader-group-headers=X-Remote-Group",
		"--requestheader-extra-headers-prefix=X-Remote-Extra-",
	}
}

// auditArgs configure the audit log. Blocking mode writes an entry before its
// request is answered, so that the client can read it then.
func (c Config) auditArgs() []string {
	return []string{
		formatFlag("audit-policy-file", filepath.Join(c.Dir, auditPolicyFile)),
		formatFlag("audit-log-path", filepath.Join(c.Dir, LogDir, "audit.log")),
		"--audit-log-mode=blocking",
		"--audit-log-maxsize=200",
		"--audit-log-maxbackup=2",
	}
}

// auditPolicy records who did what for every request, reads and refusals
// included, but no bodies. The stage left out records the arrival of a
// request, which the entry about its answer shows as well.
const auditPolicy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages:
- RequestReceived
rules:
- level: Metadata
`
