// Package observed holds what an operator sees against a whole control plane: a real
// Prometheus reads gati-webhook as docs/observability.md says, and every query of the
// dashboard and every alert finds its metrics. It executes the commands of that page
// and of the runbooks.
//
//	go test ./test/cluster/observed
//
// GATI_BIN is the folder of devcluster, gati-webhook and kubectl-gati, bin when empty.
package observed

import (
	"context"
	"fmt"
	"os"
	"testing"

	"k8s.io/apimachinery/pkg/util/rand"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"gati.dev/gati/test/support/await"
	"gati.dev/gati/test/support/kube"
	"gati.dev/gati/test/support/terminal"
)

var (
	env   *terminal.Environment
	admin client.Client
)

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	flags, remove, err := sinkFlags()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer remove()
	return terminal.Main(m, terminal.Setup{Nodes: 2, Mortal: true, Flags: flags, Up: begin}, &env)
}

func begin(c *terminal.Environment) (err error) {
	if admin, err = kube.Client(c.Config); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), await.Patience)
	defer cancel()
	return installOperatorKinds(ctx, c.Cluster)
}

// namespace makes a namespace for one run of a test, and removes its handlers after it:
// the next run, and each other test, finds none of them.
func namespace(t *testing.T, name string) string {
	t.Helper()
	name += "-" + rand.String(5)
	env.Namespace(t, name)
	t.Cleanup(func() { terminal.Remove(t, admin, name) })
	return name
}
