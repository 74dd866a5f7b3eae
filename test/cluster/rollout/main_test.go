// Package rollout_test watches whole rollouts on a devcluster: the controllers as a
// process, real Deployments, endpoints and autoscalers, simulated nodes, and a
// gateway that answers as a test tells it to.
package rollout_test

import (
	"context"
	"flag"
	"os"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/local"
	"gati.dev/gati/test/support/gateway"
	"gati.dev/gati/test/support/terminal"
)

// atOnce is how many tests run side by side: they mostly wait.
const atOnce = "12"

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
	os.Exit(terminal.Main(m, terminal.Setup{Nodes: asked().nodes, Mortal: true, GatewayAPI: true, Up: begins}, &env))
}

func begins(c *terminal.Environment) error {
	cluster, webhook = c.Cluster, c.Webhook
	config := rest.CopyConfig(c.Config)
	config.WarningHandlerWithContext = rest.NoWarnings{}
	var err error
	if admin, err = client.NewWithWatch(config, client.Options{Scheme: newScheme()}); err != nil {
		return err
	}
	gateways = gateway.New(admin)
	go gateways.Run(context.Background())
	return nil
}

func newScheme() *runtime.Scheme {
	s := runtime.NewScheme()
	utilruntime.Must(clientgoscheme.AddToScheme(s))
	utilruntime.Must(gatewayv1.Install(s))
	utilruntime.Must(v1.AddToScheme(s))
	return s
}
