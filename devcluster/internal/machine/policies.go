package machine

import (
	_ "embed"
	"fmt"

	"gati.dev/gati/devcluster/internal/control"
	"gati.dev/gati/devcluster/internal/pki"
	"gati.dev/gati/devcluster/internal/state"
)

// networkPolicies is the name of its process and identity.
const networkPolicies = "network-policies"

const policiesHealth = 10260

//go:embed network-policies.yaml
var policiesManifest string

// PoliciesAddon drops packets that no NetworkPolicy allows. It runs on the node, whose
// packet filter hands the first packet of each connection to it.
var PoliciesAddon = Addon{
	Name: networkPolicies,
	Clients: func(Layout) []control.Client {
		return []control.Client{{File: networkPolicies, Subject: pki.Subject{Name: networkPolicies, Client: true}}}
	},
	Files:    func(Layout) (map[string][]byte, error) { return nil, nil },
	Manifest: Manifest{"network-policies.yaml", policiesManifest},
	Components: func(l Layout) []state.Component {
		return []state.Component{{
			Name: networkPolicies,
			Path: l.assetPath(networkPolicies),
			Args: []string{
				"--kubeconfig=" + control.KubeconfigFile(l.Dir, networkPolicies),
				"--node=" + NodeName,
				fmt.Sprintf("--listen=%s:%d", l.Node(), policiesHealth),
			},
			Env:    []string{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"},
			URL:    l.nodeURL(policiesHealth),
			Health: "/healthz",
			After:  []string{Kubelet, control.APIServer},
			Inside: Holder,
		}}
	},
	Note: func(Layout) string { return "NetworkPolicies: enforced" },
}
