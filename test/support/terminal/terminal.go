package terminal

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/client-go/rest"

	"gati.dev/gati/internal/local"
)

// Environment is a cluster with Gati, and a place to type.
type Environment struct {
	// Config reaches the cluster as the administrator.
	Config *rest.Config
	// Cluster is where kubectl is typed.
	Cluster *local.Cluster
	// Webhook is the gati-webhook process.
	Webhook *local.Webhook

	dir string
	// stop ends a gati-webhook that runs in this process.
	stop func() error
}

// Kubectl calls kubectl in a folder and returns what it printed on both streams,
// in order, and whether it succeeded.
func (c *Environment) Kubectl(ctx context.Context, folder string, args ...string) (string, bool) {
	return c.KubectlWith(ctx, folder, nil, args...)
}

// KubectlWith is Kubectl with more variables in its environment, such as the
// editor that it calls.
func (c *Environment) KubectlWith(ctx context.Context, folder string, env []string, args ...string) (string, bool) {
	cmd := exec.CommandContext(ctx, c.Cluster.Kubectl, args...)
	cmd.Dir = folder
	// What kubectl keeps of the API's discovery must be that of this cluster.
	cmd.Env = append(os.Environ(), "KUBECONFIG="+c.Cluster.Kubeconfig, "KUBECACHEDIR="+filepath.Join(c.dir, "cache"))
	// It ends before a collection of garbage pays.
	cmd.Env = append(append(cmd.Env, "GOGC=off"), env...)
	out, err := cmd.CombinedOutput()
	return string(out), err == nil
}

// Must is Kubectl for what has to succeed.
func (c *Environment) Must(t testing.TB, folder string, args ...string) string {
	t.Helper()
	out, ok := c.Kubectl(t.Context(), folder, args...)
	if !ok {
		t.Fatalf("kubectl %s:\n%s", strings.Join(args, " "), out)
	}
	return out
}

// Shell runs a command line as a person types it, with kubectl and the plugin on the PATH,
// and returns what it prints.
func (c *Environment) Shell(ctx context.Context, line string) (string, error) {
	path := filepath.Dir(c.Cluster.Tools().Plugin) + ":" + filepath.Dir(c.Cluster.Kubectl) + ":" + os.Getenv("PATH")
	cmd := exec.CommandContext(ctx, "bash", "-c", "set -o pipefail; "+line)
	cmd.Env = append(os.Environ(), "PATH="+path, "KUBECONFIG="+c.Cluster.Kubeconfig, "KUBECACHEDIR="+filepath.Join(c.dir, "cache"))
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// Namespace makes a namespace, with annotations such as a=b. The name is the caller's,
// since it may be printed: one that an earlier run of the test has left is removed.
func (c *Environment) Namespace(t testing.TB, name string, annotations ...string) {
	t.Helper()
	if out, ok := c.Kubectl(t.Context(), "", "create", "namespace", name); !ok {
		if !strings.Contains(out, "AlreadyExists") {
			t.Fatalf("kubectl create namespace %s:\n%s", name, out)
		}
		c.Must(t, "", "delete", "namespace", name, "--timeout=4m")
		c.Must(t, "", "create", "namespace", name)
	}
	if len(annotations) > 0 {
		c.Must(t, "", append([]string{"annotate", "namespace", name}, annotations...)...)
	}
}
