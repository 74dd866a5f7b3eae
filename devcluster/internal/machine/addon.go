package machine

import (
	"encoding/base64"

	"gati.dev/gati/devcluster/internal/control"
	"gati.dev/gati/devcluster/internal/state"
)

// Addon is an optional addition to the node: processes of the machine, and their
// objects in the cluster.
type Addon struct {
	// Name is that of its main process.
	Name string
	// PortNames lists what it needs a port for, Clients who it is.
	PortNames []string
	Clients   func(Layout) []control.Client
	// Files returns what it reads, by path in the cluster's directory.
	Files func(Layout) (map[string][]byte, error)
	// CRDs are directories among the executables with definitions to apply.
	CRDs []string
	// Manifest is applied before it starts.
	Manifest Manifest
	// Secret writes what it reads and only the API server can give. It may be
	// nil.
	Secret func(l Layout, kubectl func(args ...string) (string, error)) error
	// Components are its processes.
	Components func(Layout) []state.Component
	// Note tells the user where it is.
	Note func(Layout) string
}

// Manifest is a template of objects.
type Manifest struct{ name, text string }

// Render fills a manifest in for a cluster with the given authority.
func (l Layout) Render(m Manifest, ca []byte) ([]byte, error) {
	return l.renderTemplate(m.name, m.text, map[string]string{"CABundle": base64.StdEncoding.EncodeToString(ca)})
}
