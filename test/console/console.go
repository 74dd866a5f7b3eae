package console

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"gati.dev/gati/internal/local"
)

const (
	// BinVariable names the folder of devcluster, gati-webhook and kubectl-gati.
	BinVariable = "GATI_BIN"
	// startWithin bounds the start of the cluster, without builds.
	startWithin = 10 * time.Minute
)

// patient keeps gati-webhook leader while the machine is busier than an API
// server should be: here is no kubelet to start it again.
var patient = []string{"--leader-election-lease-duration=90s", "--leader-election-renew-deadline=60s"}

// Console is a cluster with Gati, and a place to type.
type Console struct {
	// Config reaches the cluster as the administrator.
	Config *rest.Config
	// Cluster is where kubectl is typed.
	Cluster *local.Cluster
	// Webhook is the gati-webhook process.
	Webhook *local.Webhook

	dir string
}

// Main starts a cluster, runs the tests of a package with it, and takes all of it
// down again, also when it is interrupted. It fails rather than skips where
// something is missing: a test that does not run proves nothing.
func Main(m *testing.M, nodes int, into **Console) int { return run(m, nodes, true, into) }

// Bare is Main for tests that install Gati themselves: Webhook is prepared, and
// nothing is applied or started.
func Bare(m *testing.M, nodes int, into **Console) int { return run(m, nodes, false, into) }

func run(m *testing.M, nodes int, installed bool, into **Console) int {
	dir, err := os.MkdirTemp("", "gati-console-")
	if err != nil {
		return failed(err)
	}
	defer os.RemoveAll(dir)
	c := &Console{dir: dir}
	*into = c
	// The cluster's processes outlive this one unless they are told to end.
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-interrupted
		fmt.Fprintln(os.Stderr, "interrupted; taking the cluster down:", errors.Join(c.end(), os.RemoveAll(dir)))
		os.Exit(130)
	}()
	if err := c.start(context.Background(), nodes, installed); err != nil {
		return failed(errors.Join(err, c.end()))
	}
	code := m.Run()
	if err := c.end(); err != nil {
		return failed(err)
	}
	return code
}

func (c *Console) start(ctx context.Context, nodes int, installed bool) error {
	ctx, cancel := context.WithTimeout(ctx, startWithin)
	defer cancel()
	tools, err := local.ToolsFrom(cmp.Or(os.Getenv(BinVariable), filepath.Join("..", "..", "bin")))
	if err != nil {
		return err
	}
	if c.Cluster, err = local.Up(ctx, tools, filepath.Join(c.dir, "cluster"), nodes, io.Discard); err != nil {
		return err
	}
	if c.Config, err = c.Cluster.Admin(); err != nil {
		return err
	}
	dir := filepath.Join(c.dir, "gati-webhook")
	if !installed {
		c.Webhook, err = local.Prepare(c.Cluster, dir)
		return err
	}
	if c.Webhook, err = local.Install(ctx, c.Cluster, dir, patient...); err != nil {
		return err
	}
	return c.Webhook.Start(ctx)
}

// end stops what start has started.
func (c *Console) end() error {
	var errs []error
	if c.Webhook != nil {
		errs = append(errs, c.Webhook.Stop())
	}
	if c.Cluster != nil {
		errs = append(errs, c.Cluster.Down(io.Discard))
	}
	return errors.Join(errs...)
}

// Kubectl calls kubectl in a folder and returns what it printed on both streams,
// in order, and whether it succeeded.
func (c *Console) Kubectl(ctx context.Context, folder string, args ...string) (string, bool) {
	return c.KubectlWith(ctx, folder, nil, args...)
}

// KubectlWith is Kubectl with more variables in its environment, such as the
// editor that it calls.
func (c *Console) KubectlWith(ctx context.Context, folder string, env []string, args ...string) (string, bool) {
	cmd := exec.CommandContext(ctx, c.Cluster.Kubectl, args...)
	cmd.Dir = folder
	// What kubectl keeps of the API's discovery must be that of this cluster.
	cmd.Env = append(os.Environ(), "KUBECONFIG="+c.Cluster.Kubeconfig, "KUBECACHEDIR="+filepath.Join(c.dir, "cache"))
	cmd.Env = append(cmd.Env, env...)
	out, err := cmd.CombinedOutput()
	return string(out), err == nil
}

// Must is Kubectl for what has to succeed.
func (c *Console) Must(t testing.TB, folder string, args ...string) string {
	t.Helper()
	out, ok := c.Kubectl(t.Context(), folder, args...)
	if !ok {
		t.Fatalf("kubectl %s:\n%s", strings.Join(args, " "), out)
	}
	return out
}

// Namespace makes a namespace, with annotations such as a=b. The name is the
// caller's, since it may be printed.
func (c *Console) Namespace(t testing.TB, name string, annotations ...string) {
	t.Helper()
	c.Must(t, "", "create", "namespace", name)
	if len(annotations) > 0 {
		c.Must(t, "", append([]string{"annotate", "namespace", name}, annotations...)...)
	}
}

// Remove deletes namespaces and waits until they are gone.
func (c *Console) Remove(t testing.TB, names ...string) {
	t.Helper()
	out, ok := c.Kubectl(context.Background(), "", append([]string{"delete", "namespace", "--timeout=90s"}, names...)...)
	if !ok {
		t.Errorf("delete namespaces %v:\n%s", names, out)
	}
}

func failed(err error) int {
	fmt.Fprintln(os.Stderr, "FAIL:", err)
	return 1
}
