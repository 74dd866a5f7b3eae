package security

import (
	"context"
	"os"
	"testing"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"gati.dev/gati/test/support/gateway"
	"gati.dev/gati/test/support/kube"
	"gati.dev/gati/test/support/terminal"
)

// What all tests share. gateways answers for the gateways that tests name.
var (
	env      *terminal.Environment
	admin    client.WithWatch
	gateways *gateway.Controller
)

func TestMain(m *testing.M) {
	os.Exit(terminal.Main(m, terminal.Setup{Nodes: 2, GatewayAPI: true, Up: setUp}, &env))
}

func setUp(c *terminal.Environment) (err error) {
	if admin, err = kube.Client(c.Config); err != nil {
		return err
	}
	gateways = gateway.New(admin)
	go gateways.Run(context.Background())
	return nil
}
