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

	"sigs.k8s.io/controller-runtime/pkg/client"

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
	return installOperatorKinds(context.Background(), c.Cluster)
}
