// Package env holds the surroundings that are passed to every command: streams, clock,
// connection flags and build version.
//
// The package must not know of any command.
package env

import (
	"time"

	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"
)

// Env is the surroundings of a command.
type Env struct {
	Streams genericiooptions.IOStreams
	// Config are kubectl's connection flags.
	Config *genericclioptions.ConfigFlags
	// Now is the clock.
	Now func() time.Time
	// Version is that of the plugin.
	Version string

	namespace string
}

// Namespace returns the namespace to work in: that of -n, else that of the
// kubeconfig's context.
func (e *Env) Namespace() (string, error) {
	if e.namespace != "" {
		return e.namespace, nil
	}
	namespace, _, err := e.Config.ToRawKubeConfigLoader().Namespace()
	return namespace, err
}

// In returns the same surroundings in another namespace.
func (e *Env) In(namespace string) *Env {
	other := *e
	other.namespace = namespace
	return &other
}

// GivenNamespace returns the namespace of -n, empty without one. It is for
// commands that must not depend on a kubeconfig.
func (e *Env) GivenNamespace() string {
	if e.Config.Namespace == nil {
		return ""
	}
	return *e.Config.Namespace
}
