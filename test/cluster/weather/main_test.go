// Package weather lets handlers of all strategies live through changes, requests and
// disturbances in random order, and holds that what is shown of them agrees whenever
// it is quiet.
//
//	go test ./test/cluster/weather
//
// The short form is one storm over a few handlers; "make soak NAME=weather" has 200
// handlers and 25 minutes. It has its cluster to itself, for it kills the API server.
package weather

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"gati.dev/gati/test/support/gateway"
	"gati.dev/gati/test/support/kube"
	"gati.dev/gati/test/support/terminal"
)

// What the test has of its cluster: who it is, and the gateway of each namespace.
var (
	env      *terminal.Environment
	admin    client.WithWatch
	user     string
	gateways *gateway.Controller
)

func TestMain(m *testing.M) {
	klog.SetLogger(logr.Discard()) // Watches fail while the API server is dead.
	os.Exit(terminal.Main(m, terminal.Setup{Nodes: 8, Mortal: true, GatewayAPI: true, Up: setUp}, &env))
}

func setUp(c *terminal.Environment) error {
	var err error
	if admin, err = kube.PatientClient(c.Config); err != nil {
		return err
	}
	name, err := c.Cluster.Run(context.Background(), "", "auth", "whoami", "-o", "jsonpath={.status.userInfo.username}")
	if err != nil {
		return err
	}
	user = strings.TrimSpace(name)
	gateways = gateway.New(admin)
	go gateways.Run(context.Background())
	return nil
}
