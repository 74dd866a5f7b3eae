// Package evidence_test watches what gati-webhook makes of measured traffic, on a
// devcluster: the controllers as a process that asks a Prometheus, which a test plays,
// real Deployments on simulated nodes, and a gateway that accepts.
package evidence_test

import (
	"context"
	"flag"
	"os"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"gati.dev/gati/internal/local"
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
	source   *prometheus
)

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	flag.Parse()
	// The default is one test for each processor.
	if err := flag.Set("test.parallel", atOnce); err != nil {
		panic(err)
	}
	source = newPrometheus()
	defer source.Close()
	flags := []string{"--prometheus-url=" + source.URL, "--prometheus-scrape-interval=1s", "--prometheus-timeout=20s"}
	return terminal.Main(m, terminal.Setup{Nodes: 2, Mortal: true, GatewayAPI: true, Flags: flags, Up: begins}, &env)
}

func begins(c *terminal.Environment) error {
	webhook = c.Webhook
	watching, err := kube.Client(c.Config)
	if err != nil {
		return err
	}
	admin, gateways = watching, gateway.New(watching)
	source.reads(admin)
	go gateways.Run(context.Background())
	return nil
}
