// Package nodes provides a cluster with nodes: none, or ones that KWOK
// simulates. Real ones would be a third Provider.
//
// It must not know how processes are started, nor what the control plane is
// beyond its API.
package nodes

import (
	"context"

	"gati.dev/gati/devcluster/internal/kubeapi"
	"gati.dev/gati/devcluster/internal/pki"
	"gati.dev/gati/devcluster/internal/state"
)

// Env is what a provider may build on.
type Env struct {
	// Dir is the cluster's directory and Assets that of the executables.
	Dir, Assets string
	// Ports has a port for each of the provider's PortNames.
	Ports map[string]int
}

// Provider makes nodes and keeps them alive.
type Provider interface {
	// String is the value of --nodes that leads to this provider.
	String() string
	// PortNames lists what it needs a port for.
	PortNames() []string
	// Clients lists the identities of its processes.
	Clients() []pki.Subject
	// Files returns what its processes read, by path in the cluster's directory.
	Files() map[string][]byte
	// Components returns its processes, which start when the API server is up.
	Components(Env) []state.Component
	// Prepare is called before its processes start, and start again.
	Prepare(context.Context, *kubeapi.Client) error
	// Ready counts the nodes that take pods, and all there should be.
	Ready(context.Context, *kubeapi.Client) (ready, total int, err error)
}
