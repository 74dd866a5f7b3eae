// Package rollout_test watches whole rollouts on a devcluster: the controllers as a
// process, real Deployments, endpoints and autoscalers, simulated nodes, and a
// gateway that answers as a test tells it to.
package rollout_test

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/local"
	"gati.dev/gati/test/gateway"
)

const (
	nodes       = 4
	startWithin = 10 * time.Minute
	// atOnce is how many tests run side by side: they mostly wait.
	atOnce = "12"
)

// What all tests share. gateways answers for the gateways that tests name.
var (
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
	os.Exit(run(m))
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "gati-rollout-")
	if err != nil {
		return failed(err)
	}
	defer os.RemoveAll(dir)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if err := start(ctx, dir); err != nil {
		return failed(errors.Join(err, end()))
	}
	gateways = gateway.New(admin)
	go gateways.Run(ctx)
	code := m.Run()
	if err := end(); err != nil {
		code = failed(err)
	}
	return code
}

func start(ctx context.Context, dir string) error {
	ctx, cancel := context.WithTimeout(ctx, startWithin)
	defer cancel()
	tools, err := local.ToolsFrom(cmp.Or(os.Getenv("GATI_BIN"), filepath.Join("..", "..", "bin")))
	if err != nil {
		return err
	}
	if cluster, err = local.Up(ctx, tools, filepath.Join(dir, "cluster"), nodes, io.Discard); err != nil {
		return err
	}
	config, err := cluster.Admin()
	if err != nil {
		return err
	}
	config.WarningHandlerWithContext = rest.NoWarnings{}
	if admin, err = client.NewWithWatch(config, client.Options{Scheme: newScheme()}); err != nil {
		return err
	}
	if err := gateway.Install(ctx, cluster); err != nil {
		return err
	}
	if webhook, err = local.Install(ctx, cluster, filepath.Join(dir, "gati-webhook")); err != nil {
		return err
	}
	return webhook.Start(ctx)
}

func end() error {
	var errs []error
	if webhook != nil {
		errs = append(errs, webhook.Stop())
	}
	if cluster != nil {
		errs = append(errs, cluster.Down(io.Discard))
	}
	return errors.Join(errs...)
}

func newScheme() *runtime.Scheme {
	s := runtime.NewScheme()
	utilruntime.Must(clientgoscheme.AddToScheme(s))
	utilruntime.Must(gatewayv1.Install(s))
	utilruntime.Must(v1.AddToScheme(s))
	return s
}

func failed(err error) int {
	fmt.Fprintln(os.Stderr, "FAIL:", err)
	return 1
}
