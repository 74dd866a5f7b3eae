// Package plugin types kubectl-gati and kubectl against a devcluster: the commands that
// ask, with the policies, the controller and the pods that answer them; what people see of
// Gati's objects through kubectl, in each phase (views_test.go); and what comes of a change,
// whichever way it is brought to the cluster (change_*_test.go): a table over the verbs of
// kubectl and the kinds of change that there are, in both versions of the API. Live views
// also see the API server go and come back (outage_test.go).
//
// A change says once what has to come of it (change_handlers_test.go,
// change_modules_test.go); each verb has to lead there (change_verbs_test.go). What a verb
// or a version cannot say stands in the table with the reason, and is not left out of it.
//
//	go test ./test/cluster/plugin
//	go test ./test/cluster/plugin -update    writes the goldens
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
	"sync"
	"testing"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"gati.dev/gati/cmd/gati-webhook/app"
	"gati.dev/gati/test/support/kube"
	"gati.dev/gati/test/support/repository"
	"gati.dev/gati/test/support/terminal"
)

// env is shared by all tests.
var env *terminal.Environment

const (
	// nodes is enough for the pods of every test.
	nodes = 8
	// atOnce is how many tests run side by side: each works in a namespace of its own,
	// which goes with the cluster, and they mostly wait.
	atOnce = "8"
)

func TestMain(m *testing.M) {
	if patch, called := os.LookupEnv(editVariable); called {
		os.Exit(editFile(os.Args[len(os.Args)-1], patch))
	}
	flag.Parse()
	if err := flag.Set("test.parallel", atOnce); err != nil {
		panic(err)
	}
	klog.SetLogger(logr.Discard()) // Watches fail while the API server is dead.
	os.Exit(terminal.Main(m, terminal.Setup{Nodes: nodes, Serve: app.Serve}, &env))
}

// admin asks the API server itself; it has no cache.
var admin = sync.OnceValue(func() client.Client {
	c, err := kube.PatientClient(env.Config)
	if err != nil {
		panic(err)
	}
	return c
})

// result has the output and exit code of a command.
type result struct {
	out, errs string
	code      int
}

// runGati types a command of the plugin.
func runGati(t *testing.T, args ...string) result {
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

// assertResult holds the exit code of a command, and what it says on either stream.
func (r result) assertResult(t *testing.T, code int, says ...string) {
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

// applyManifest stores a manifest by a field manager.
func applyManifest(t *testing.T, manager, manifest string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "manifest.yaml")
	if err := os.WriteFile(file, []byte(manifest), 0o600); err != nil {
		t.Fatal(err)
	}
	env.Must(t, "", "apply", "--server-side", "--force-conflicts", "--field-manager", manager, "-f", file)
}
