package local

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Tools are the programs that a local run needs. Make builds them.
type Tools struct {
	// Devcluster, Webhook and Plugin are our own binaries.
	Devcluster, Webhook, Plugin string
}

// FindTools returns the tools in a folder, such as bin of the checkout.
func FindTools(dir string) (Tools, error) {
	t := Tools{
		Devcluster: filepath.Join(dir, "devcluster"),
		Webhook:    filepath.Join(dir, "gati-webhook"),
		Plugin:     filepath.Join(dir, "kubectl-gati"),
	}
	for _, path := range []string{t.Devcluster, t.Webhook, t.Plugin} {
		if _, err := os.Stat(path); err != nil {
			return t, fmt.Errorf("%s is missing; run \"make build\": %w", path, err)
		}
	}
	return t, nil
}

// Cluster is a cluster to work on.
type Cluster struct {
	// Kubeconfig is the administrator's.
	Kubeconfig string
	// Kubectl is the program to call.
	Kubectl string
	// AuditLog is the API server's audit log, empty if there is none to read.
	AuditLog string

	tools Tools
	// dir is the devcluster's folder, empty if it is not one; isExisting reports
	// whether another program started it.
	dir        string
	isExisting bool
}

// Tools returns the programs that the cluster was started with.
func (c *Cluster) Tools() Tools { return c.tools }

// Up starts a devcluster in a folder, or finds the one that runs there. Its pods
// are Ready without running anything. Progress is written to w.
func Up(ctx context.Context, tools Tools, dir string, nodes int, w io.Writer) (*Cluster, error) {
	return startDevcluster(ctx, tools, dir, []string{"--nodes", fmt.Sprintf("kwok:%d", nodes)}, w)
}

// UpReal starts a devcluster with a node that runs pods and enforces NetworkPolicies, a
// gateway and Prometheus. more are further flags, such as --keda.
// It needs Linux, as root.
func UpReal(ctx context.Context, tools Tools, dir string, w io.Writer, more ...string) (*Cluster, error) {
	flags := []string{"--nodes", "real", "--gateway", "traefik", "--prometheus", "--network-policies"}
	return startDevcluster(ctx, tools, dir, append(flags, more...), w)
}

func startDevcluster(ctx context.Context, tools Tools, dir string, flags []string, w io.Writer) (*Cluster, error) {
	up := exec.CommandContext(ctx, tools.Devcluster, append([]string{"up", "--dir", dir}, flags...)...)
	up.Stdout, up.Stderr = w, w
	if err := up.Run(); err != nil {
		return nil, fmt.Errorf("devcluster up: %w", err)
	}
	assets, err := exec.CommandContext(ctx, tools.Devcluster, "assets").Output()
	if err != nil {
		return nil, fmt.Errorf("devcluster assets: %w", err)
	}
	return &Cluster{
		Kubeconfig: filepath.Join(dir, "kubeconfig"),
		Kubectl:    filepath.Join(strings.TrimSpace(string(assets)), "kubectl"),
		AuditLog:   filepath.Join(dir, "logs", "audit.log"),
		tools:      tools, dir: dir,
	}, nil
}

// LoadImage loads the images of an archive into the real node.
func (c *Cluster) LoadImage(ctx context.Context, archive string) error {
	return c.runDevcluster(ctx, "image", "load", archive)
}

// Restart kills a component of the devcluster and starts it again.
func (c *Cluster) Restart(ctx context.Context, component string) error {
	return c.runDevcluster(ctx, "restart", component)
}

func (c *Cluster) runDevcluster(ctx context.Context, args ...string) error {
	if c.dir == "" {
		return fmt.Errorf("devcluster %s: the cluster of %s is none of devcluster's", args[0], c.Kubeconfig)
	}
	out, err := exec.CommandContext(ctx, c.tools.Devcluster, append(args, "--dir", c.dir)...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("devcluster %s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(string(out)))
	}
	return nil
}

// UseExisting returns the cluster of a kubeconfig, which is neither started nor
// removed.
func UseExisting(tools Tools, kubeconfig string) (*Cluster, error) {
	kubectl, err := exec.LookPath("kubectl")
	if err != nil {
		return nil, fmt.Errorf("the cluster of %s needs kubectl on the PATH: %w", kubeconfig, err)
	}
	c := &Cluster{Kubeconfig: kubeconfig, Kubectl: kubectl, tools: tools, isExisting: true}
	// A devcluster keeps its state beside its kubeconfig.
	if dir := filepath.Dir(kubeconfig); isFile(filepath.Join(dir, "state.json")) {
		c.dir = dir
	}
	return c, nil
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// IsDevcluster reports whether LoadImage and Restart are supported.
func (c *Cluster) IsDevcluster() bool { return c.dir != "" }

// Down removes a devcluster with everything that it made. It does nothing to an
// existing cluster.
func (c *Cluster) Down(w io.Writer) error {
	if c.isExisting {
		return nil
	}
	return Remove(c.tools, c.dir, w)
}

// Remove removes the devcluster of a folder, if there is one.
func Remove(tools Tools, dir string, w io.Writer) error {
	down := exec.Command(tools.Devcluster, "down", "--dir", dir)
	down.Stdout, down.Stderr = w, w
	if err := down.Run(); err != nil {
		return fmt.Errorf("devcluster down: %w", err)
	}
	return nil
}

// Run calls kubectl as the administrator and returns what it printed on both
// streams, in order. stdin may be empty.
func (c *Cluster) Run(ctx context.Context, stdin string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, c.Kubectl, args...)
	cmd.Env = append(os.Environ(), "KUBECONFIG="+c.Kubeconfig)
	if stdin != "" {
		cmd.Stdin = strings.NewReader(stdin)
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		return string(out), fmt.Errorf("kubectl %s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(string(out)))
	}
	return string(out), nil
}
