package nodes

import (
	"context"
	_ "embed"
	"fmt"
	"path/filepath"

	"gati.dev/gati/devcluster/internal/control"
	"gati.dev/gati/devcluster/internal/pki"
	"gati.dev/gati/devcluster/internal/ports"
	"gati.dev/gati/devcluster/internal/state"
)

// kwokName is the name of KWOK's process, executable, port and identity.
const kwokName = "kwok"

const kwokConfigFile = control.ConfigDir + "/kwok.yaml"

// kwokConfig says how simulated nodes and pods come and go. KWOK has no such
// stages built in.
//
//go:embed kwok.yaml
var kwokConfig []byte

// kwok simulates nodes: pods on them are Running and Ready at once, and gone
// as soon as they are deleted, with no process behind any of it.
type kwok struct {
	simple
	count int
}

func (k kwok) String() string    { return fmt.Sprintf("%s:%d", kwokName, k.count) }
func (kwok) PortNames() []string { return []string{kwokName} }

// Clients. KWOK plays every kubelet and, in deleting pods and renewing leases,
// parts of the control plane. It stands for the machines, which no RBAC rule
// restrains either, so it is let do anything rather than be an example of
// rights that a test might break.
func (kwok) Clients(Env) []control.Client {
	return []control.Client{{
		File:    kwokName,
		Subject: pki.Subject{Name: kwokName, Groups: []string{"system:masters"}, Client: true},
	}}
}

func (kwok) Files(Env) (map[string][]byte, error) {
	return map[string][]byte{kwokConfigFile: kwokConfig}, nil
}

func (kwok) Components(env Env) (before, behind []state.Component) {
	address := fmt.Sprintf("%s:%d", ports.Loopback, env.Ports[kwokName])
	return nil, []state.Component{{
		Name: kwokName,
		Path: filepath.Join(env.Assets, kwokName),
		Args: []string{
			"--kubeconfig=" + control.KubeconfigFile(env.Dir, kwokName),
			"--config=" + filepath.Join(env.Dir, kwokConfigFile),
			// Only the nodes made here: a test may add one that nothing keeps alive.
			"--manage-all-nodes=false",
			"--manage-nodes-with-annotation-selector=" + fakeNode + "=fake",
			"--server-address=" + address,
		},
		// Or it would also read the settings in the user's ~/.kwok.
		Env:    []string{"KWOK_WORKDIR=" + filepath.Join(env.Dir, control.DataDir, kwokName)},
		URL:    "http://" + address,
		Health: "/healthz",
		Ports:  kwok{}.PortNames(),
		After:  []string{control.APIServer},
	}}
}

// Prepare makes the nodes and frees their leases: a KWOK that was killed still
// holds them, and the next one would wait 40 seconds for them to run out.
func (k kwok) Prepare(ctx context.Context, host Host, _ string) error {
	for i := range k.count {
		if err := host.API.Delete(ctx, leasesPath+"/"+nodeName(i)); err != nil {
			return fmt.Errorf("free the lease of node %s: %w", nodeName(i), err)
		}
		if err := host.API.Create(ctx, nodesPath, newNode(i)); err != nil {
			return fmt.Errorf("create node %s: %w", nodeName(i), err)
		}
	}
	return nil
}
