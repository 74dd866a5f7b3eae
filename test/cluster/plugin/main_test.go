// Package plugin types kubectl-gati against a devcluster: the commands that ask,
// with the policies, the controller and the pods that answer them.
//
//	go test ./test/cluster/plugin
//
// GATI_BIN is the folder of devcluster, gati-webhook and kubectl-gati, bin when
// empty.
package plugin

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"gati.dev/gati/cmd/gati-webhook/app"
	"gati.dev/gati/test/support/repository"
	"gati.dev/gati/test/support/terminal"
)

// env is shared by all tests.
var env *terminal.Environment

// atOnce is how many tests run side by side: each works in a namespace of its own,
// which goes with the cluster, and they mostly wait.
const atOnce = "4"

func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("test.parallel", atOnce); err != nil {
		panic(err)
	}
	os.Exit(terminal.Main(m, terminal.Setup{Nodes: 2, Serve: app.Serve}, &env))
}

// result has the output and exit code of a command.
type result struct {
	out, errs string
	code      int
}

// gati types a command of the plugin.
func gati(t *testing.T, args ...string) result {
	t.Helper()
	var out, errs bytes.Buffer
	binary := filepath.Join(repository.Bin(), "kubectl-gati")
	cmd := exec.CommandContext(t.Context(), binary, args...)
	cmd.Env = append(os.Environ(), "KUBECONFIG="+env.Cluster.Kubeconfig)
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if exited := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exited) {
		t.Fatal(err)
	}
	r := result{out.String(), errs.String(), cmd.ProcessState.ExitCode()}
	t.Logf("$ kubectl gati %s\n%s%s(exit code %d)", strings.Join(args, " "), r.out, r.errs, r.code)
	return r
}

// want holds the exit code of a command, and what it says on either stream.
func (r result) want(t *testing.T, code int, says ...string) {
	t.Helper()
	if r.code != code {
		t.Fatalf("exit code %d, want %d:\n%s%s", r.code, code, r.out, r.errs)
	}
	for _, text := range says {
		if !strings.Contains(r.out+r.errs, text) {
			t.Errorf("does not say %q:\n%s%s", text, r.out, r.errs)
		}
	}
}

// apply stores a manifest by a field manager.
func apply(t *testing.T, manager, manifest string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "manifest.yaml")
	if err := os.WriteFile(file, []byte(manifest), 0o600); err != nil {
		t.Fatal(err)
	}
	env.Must(t, "", "apply", "--server-side", "--force-conflicts", "--field-manager", manager, "-f", file)
}
