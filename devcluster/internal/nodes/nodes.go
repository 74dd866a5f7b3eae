// Package nodes provides a cluster with nodes: none, ones that KWOK simulates,
// or a real one.
//
// It must not know how processes are started, nor what the control plane is
// beyond its API and what it lets nodes ask for.
package nodes

import (
	"context"

	"gati.dev/gati/devcluster/internal/control"
	"gati.dev/gati/devcluster/internal/kubeapi"
	"gati.dev/gati/devcluster/internal/state"
)

// Env is the provider's view of a cluster before it starts.
type Env struct {
	// Dir is the cluster's directory and Assets that of the executables.
	Dir, Assets string
	// Ports has a port for each of the provider's PortNames, and of the control
	// plane's.
	Ports map[string]int
	// Machine is the provider's claim.
	Machine *state.Machine
}

// Host is the provider's view of a running cluster.
type Host struct {
	Env
	API *kubeapi.Client
	// PID returns the process of a component, 0 when it does not run.
	PID func(component string) int
	// Say tells the user what takes time.
	Say func(format string, args ...any)
}

// Provider makes nodes and keeps them alive.
type Provider interface {
	// String returns the value of --nodes for this provider.
	String() string
	// Assets names the sets of executables it needs besides the control plane's.
	Assets() []string
	// Check reports what the machine lacks, and installs it where possible.
	Check(context.Context, func(format string, args ...any)) error
	// Claim says what the run of this marker will take of the machine besides
	// processes and files. Nothing is made yet. It is nil for nothing.
	Claim(marker string) (*state.Machine, error)
	// Network returns the requirements for the control plane.
	Network(Env) control.Network
	// PortNames lists what it needs a port for.
	PortNames() []string
	// Clients lists the identities of its processes.
	Clients(Env) []control.Client
	// Files returns what its processes read, by path in the cluster's directory.
	Files(Env) (map[string][]byte, error)
	// Components returns its processes in the order in which they must start.
	// Those that the control plane waits for come before it.
	Components(Env) (before, behind []state.Component)
	// Prepare is called before a process of its starts, and starts again.
	Prepare(ctx context.Context, host Host, component string) error
	// Complete is called when a process of its is well, before those start that
	// wait for it.
	Complete(ctx context.Context, host Host, component string) error
	// Ready counts the nodes that take pods, and all there should be.
	Ready(context.Context, *kubeapi.Client) (ready, total int, err error)
	// Notes tell the user what else there is in a cluster that is ready.
	Notes(Env) []string
}

// simple is a provider that takes nothing of the machine.
type simple struct{}

func (simple) Assets() []string                                              { return nil }
func (simple) Check(context.Context, func(format string, args ...any)) error { return nil }
func (simple) Claim(string) (*state.Machine, error)                          { return nil, nil }
func (simple) Network(Env) control.Network                                   { return control.Network{} }
func (simple) PortNames() []string                                           { return nil }
func (simple) Clients(Env) []control.Client                                  { return nil }
func (simple) Files(Env) (map[string][]byte, error)                          { return nil, nil }
func (simple) Components(Env) (before, behind []state.Component)             { return nil, nil }
func (simple) Prepare(context.Context, Host, string) error                   { return nil }
func (simple) Complete(context.Context, Host, string) error                  { return nil }
func (simple) Notes(Env) []string                                            { return nil }
