// Package rollout_test watches whole rollouts on a devcluster: the controllers as a
// process, real Deployments, endpoints and autoscalers, simulated nodes, and a
// gateway that answers as a test tells it to.
package rollout_test

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

const (
	// atOnce is how many tests run side by side: they mostly wait.
	atOnce = "12"
	// nodes have room for the pods of every test: none are removed before the cluster ends.
	nodes = 16
)

// What all tests share. gateways answers for the gateways that tests name.
var (
	env      *terminal.Environment
	cluster  *local.Cluster
	webhook  *local.Webhook
	admin    client.WithWatch
	gateways *gateway.Controller
)

func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("test.parallel", atOnce); err != nil {
		panic(err)
	}
	os.Exit(terminal.Main(m, terminal.Setup{Nodes: nodes, Mortal: true, GatewayAPI: true, Up: setUp}, &env))
}

func setUp(c *terminal.Environment) error {
	cluster, webhook = c.Cluster, c.Webhook
	var err error
	if admin, err = kube.PatientClient(c.Config); err != nil {
		return err
	}
	gateways = gateway.New(admin)
	go gateways.Run(context.Background())
	return nil
}
