// Package observed holds what is measured against a whole control plane. What an operator
// sees: a real Prometheus reads gati-webhook as docs/observability.md says, every query of
// the dashboard and every alert finds its metrics, and the commands of that page and of the
// runbooks are executed. And what gati-webhook makes of measured traffic: it asks a
// Prometheus, which a test plays, about pods on simulated nodes, and a gateway accepts.
//
//	go test ./test/cluster/observed
//
// GATI_BIN is the folder of devcluster, gati-webhook and kubectl-gati, bin when empty.
package observed

import (
	"context"
	"flag"
	"fmt"
	"os"
	"testing"

	"k8s.io/apimachinery/pkg/util/rand"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"gati.dev/gati/internal/local"
	"gati.dev/gati/test/support/await"
	"gati.dev/gati/test/support/gateway"
	"gati.dev/gati/test/support/kube"
	"gati.dev/gati/test/support/terminal"
)

// atOnce is how many tests run side by side: most of their time they wait for windows.
const atOnce = "8"

// What all tests share. source is the Prometheus that gati-webhook asks.
var (
	env      *terminal.Environment
	webhook  *local.Webhook
	admin    client.Client
	gateways *gateway.Controller
	source   *trafficSource
)

func TestMain(m *testing.M) { os.Exit(runAll(m)) }

func runAll(m *testing.M) int {
	flag.Parse()
	// The default is one test for each processor.
	if err := flag.Set("test.parallel", atOnce); err != nil {
		panic(err)
	}
	flags, remove, err := sinkFlags()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer remove()
	source = newTrafficSource()
	defer source.Close()
	flags = append(flags, "--prometheus-url="+source.URL, "--prometheus-scrape-interval=1s", "--prometheus-timeout=20s")
	return terminal.Main(m, terminal.Setup{Nodes: 2, Mortal: true, GatewayAPI: true, Flags: flags, Up: setUp}, &env)
}

func setUp(c *terminal.Environment) error {
	webhook = c.Webhook
	watching, err := kube.PatientClient(c.Config)
	if err != nil {
		return err
	}
	admin, gateways = watching, gateway.New(watching)
	source.setReader(admin)
	go gateways.Run(context.Background())
	ctx, cancel := context.WithTimeout(context.Background(), await.Patience)
	defer cancel()
	return installOperatorKinds(ctx, c.Cluster)
}

// makeNamespace makes a namespace for one run of a test, and removes its handlers after it:
// the next run, and each other test, finds none of them.
func makeNamespace(t *testing.T, name string) string {
	t.Helper()
	name += "-" + rand.String(5)
	env.Namespace(t, name)
	t.Cleanup(func() { terminal.Remove(t, admin, name) })
	return name
}
