// Package control describes a control plane: its files, its processes with their arguments,
// and which of them may connect to which. It is pure, so that all of this can be read and
// tested without starting anything.
//
// It must not know how processes are started or where nodes come from.
package control

import (
	"fmt"
	"path/filepath"

	"gati.dev/gati/devcluster/internal/pki"
	"gati.dev/gati/devcluster/internal/ports"
	"gati.dev/gati/devcluster/internal/state"
)

// The names of the components, which are also those of their executables.
const (
	Etcd              = "etcd"
	APIServer         = "kube-apiserver"
	ControllerManager = "kube-controller-manager"
	Scheduler         = "kube-scheduler"
)

// etcdPeer names etcd's second port. A lone member listens on it all the same.
const etcdPeer = "etcd-peer"

// ServiceRange has room for 262,000 Services: a scale test makes one for each
// of its ten thousand handlers, and more while they roll.
const ServiceRange = "10.96.0.0/14"

// Config has the settings of a control plane.
type Config struct {
	// Dir is the cluster's directory and Assets that of the executables.
	Dir, Assets string
	// Ports has a port for each of PortNames.
	Ports map[string]int
	// Clients are further identities that get a kubeconfig.
	Clients []Client
	// Network has the requirements of the nodes. The zero value is a control plane
	// on loopback alone.
	Network Network
}

// Client is an identity that gets a kubeconfig and, if it serves, a
// certificate under the name of its file.
type Client struct {
	// File is the name that the files begin with; see KubeconfigFile.
	File    string
	Subject pki.Subject
}

// PortNames lists what a control plane needs a port for.
func PortNames() []string {
	return []string{Etcd, etcdPeer, APIServer, ControllerManager, Scheduler}
}

// Components returns the processes in the order in which they must start.
func (c Config) Components() []state.Component {
	return []state.Component{
		c.newComponent(Etcd, "/health", c.etcdArgs(), etcdPeer),
		startAfter(c.newComponent(APIServer, "/readyz", c.apiServerArgs()), append([]string{Etcd}, c.Network.After...)...),
		startAfter(c.newComponent(ControllerManager, "/healthz", c.controllerManagerArgs()), APIServer),
		startAfter(c.newComponent(Scheduler, "/readyz", c.schedulerArgs()), APIServer),
	}
}

// startAfter makes a component wait for others.
func startAfter(c state.Component, names ...string) state.Component {
	c.After = names
	return c
}

// newComponent has the port of its name, and perhaps more.
func (c Config) newComponent(name, health string, args []string, more ...string) state.Component {
	return state.Component{
		Name:   name,
		Path:   filepath.Join(c.Assets, name),
		Args:   args,
		URL:    c.componentURL(name),
		Health: health,
		Ports:  append([]string{name}, more...),
	}
}

// ServerURL is where the API server listens.
func (c Config) ServerURL() string { return c.componentURL(APIServer) }

func (c Config) componentURL(port string) string {
	address := ports.Loopback
	if port == APIServer {
		address = c.Network.apiAddress()
	}
	return fmt.Sprintf("https://%s:%d", address, c.Ports[port])
}

// formatFlag is one argument; port and pki are the two values that most have.
func formatFlag(name, value string) string { return "--" + name + "=" + value }

func (c Config) portFlag(flagName, portName string) string {
	return fmt.Sprintf("--%s=%d", flagName, c.Ports[portName])
}

func (c Config) pkiFlag(flagName, file string) string {
	return formatFlag(flagName, filepath.Join(c.Dir, PKIDir, file))
}
