package nodes

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"gati.dev/gati/devcluster/internal/machine"
	"gati.dev/gati/devcluster/internal/sandbox"
)

// Prepare does what has to be there before a process starts.
func (r real) Prepare(ctx context.Context, host Host, name string) error {
	l := r.layoutFor(host.Env)
	switch name {
	case machine.Holder:
		return checkVisible(host.Dir, host.Assets)
	case machine.Kubelet:
		if err := sandbox.MakeCgroups(l.Cgroup); err != nil {
			return err
		}
		return r.applyManifest(ctx, host, machine.RuntimeClassManifest)
	case machine.DNS:
		return r.applyManifest(ctx, host, machine.DNSManifest)
	case machine.MetricsServer:
		return r.applyManifest(ctx, host, machine.MetricsServerManifest)
	}
	for _, addon := range r.listAddons() {
		if addon.Name == name {
			return r.installAddon(ctx, host, addon)
		}
	}
	return nil
}

// Complete does what a process that is well has to be told.
func (r real) Complete(ctx context.Context, host Host, name string) error {
	l := r.layoutFor(host.Env)
	switch name {
	case machine.Holder:
		holder := host.PID(machine.Holder)
		if err := sandbox.Await(ctx, holder); err != nil {
			return err
		}
		return sandbox.Run(ctx, holder, l.Setup(holder))
	case machine.Containerd:
		// Without it no pod starts, and there is nowhere to pull it from.
		return LoadImage(ctx, host, filepath.Join(host.Assets, "pause.tar"))
	}
	return nil
}

// checkVisible refuses directories that a node has of its own, because it would not
// find the cluster's files there.
func checkVisible(dirs ...string) error {
	for _, dir := range dirs {
		for _, hidden := range machine.Hidden() {
			if dir == hidden || strings.HasPrefix(dir, hidden+"/") {
				return fmt.Errorf("a cluster with a real node cannot use %s: the node has a %s of its own; choose another --dir, or another GATI_CACHE", dir, hidden)
			}
		}
	}
	return nil
}

// installAddon applies what an addon needs in the cluster.
func (r real) installAddon(ctx context.Context, host Host, addon machine.Addon) error {
	for _, name := range addon.CRDs {
		// The cache links to it, and kubectl does not follow links to directories.
		dir, err := filepath.EvalSymlinks(filepath.Join(host.Assets, name))
		if err != nil {
			return fmt.Errorf("find the definitions of %s: %w", addon.Name, err)
		}
		if err := r.runKubectl(ctx, host, nil, "apply", "--server-side", "--force-conflicts", "-f", dir); err != nil {
			return err
		}
	}
	if err := r.applyManifest(ctx, host, addon.Manifest); err != nil {
		return err
	}
	if addon.Secret == nil {
		return nil
	}
	return addon.Secret(r.layoutFor(host.Env), func(args ...string) (string, error) {
		return sandbox.Output(ctx, r.kubectlPath(host), r.kubectlArgs(host, args)...)
	})
}

// applyManifest applies a manifest, filled in with the cluster's addresses.
func (r real) applyManifest(ctx context.Context, host Host, manifest machine.Manifest) error {
	ca, err := os.ReadFile(filepath.Join(host.Dir, "pki", "ca.crt"))
	if err != nil {
		return fmt.Errorf("read the cluster's authority: %w", err)
	}
	content, err := r.layoutFor(host.Env).Render(manifest, ca)
	if err != nil {
		return err
	}
	return r.runKubectl(ctx, host, content, "apply", "--server-side", "--force-conflicts", "-f", "-")
}

// applyLimit is how long objects may be refused: the namespaces and rights that
// every cluster has appear in the first seconds.
const applyLimit = 30 * time.Second

func (r real) runKubectl(ctx context.Context, host Host, stdin []byte, args ...string) error {
	deadline := time.Now().Add(applyLimit)
	for {
		_, err := sandbox.OutputOf(ctx, stdin, r.kubectlPath(host), r.kubectlArgs(host, args)...)
		if err == nil || ctx.Err() != nil || time.Now().After(deadline) {
			return err
		}
		time.Sleep(200 * time.Millisecond)
	}
}

func (real) kubectlPath(host Host) string { return filepath.Join(host.Assets, "kubectl") }

func (real) kubectlArgs(host Host, args []string) []string {
	return slices.Concat([]string{"--kubeconfig", filepath.Join(host.Dir, "pki", "admin.kubeconfig")}, args)
}

// LoadImage imports an archive, by whatever path the launcher sees it.
func LoadImage(ctx context.Context, host Host, archive string) error {
	holder := host.PID(machine.Holder)
	if holder == 0 {
		return fmt.Errorf("load %s: the node does not run", archive)
	}
	// The node's directories can be seen from outside through its process.
	socket := fmt.Sprintf("/proc/%d/root%s", holder, machine.ContainerdSocket)
	_, err := sandbox.Output(ctx, filepath.Join(host.Assets, "ctr"), "--address", socket, "--namespace", "k8s.io", "images", "import", archive)
	return err
}
