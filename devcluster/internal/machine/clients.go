package machine

import (
	"gati.dev/gati/devcluster/internal/control"
	"gati.dev/gati/devcluster/internal/pki"
)

// Clients lists who the node's processes are. A kubelet and metrics-server also
// serve, by names that the API server checks.
func (l Layout) Clients() []control.Client {
	return []control.Client{
		{File: Kubelet, Subject: pki.Subject{
			Name: "system:node:" + NodeName, Groups: []string{"system:nodes"}, Client: true,
			Hosts: []string{NodeName, l.Node()}}},
		{File: Proxy, Subject: pki.Subject{Name: "system:kube-proxy", Client: true}},
		{File: DNS, Subject: pki.Subject{Name: "system:coredns", Client: true}},
		{File: MetricsServer, Subject: pki.Subject{
			Name: MetricsServer, Client: true,
			Hosts: []string{"metrics-server.kube-system.svc", l.Host()}}},
	}
}
