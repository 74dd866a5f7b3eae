// Package evidence_test watches what gati-webhook makes of measured traffic, on a
// devcluster: the controllers as a process that asks a Prometheus, which a test plays,
// real Deployments on simulated nodes, and a gateway that accepts.
package evidence_test

import (
	"cmp"
	"context"
	"errors"
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

const startWithin = 10 * time.Minute

// What all tests share. source is the Prometheus that gati-webhook asks.
var (
	cluster  *local.Cluster
	webhook  *local.Webhook
	admin    client.Client
	gateways *gateway.Controller
	source   *prometheus
)

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "gati-evidence-")
	if err != nil {
		return failed(err)
	}
	defer os.RemoveAll(dir)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if err := start(ctx, dir); err != nil {
		return failed(errors.Join(err, end()))
	}
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
	if cluster, err = local.Up(ctx, tools, filepath.Join(dir, "cluster"), 2, io.Discard); err != nil {
		return err
	}
	config, err := cluster.Admin()
	if err != nil {
		return err
	}
	config.WarningHandlerWithContext = rest.NoWarnings{}
	watching, err := client.NewWithWatch(config, client.Options{Scheme: newScheme()})
	if err != nil {
		return err
	}
	admin, gateways = watching, gateway.New(watching)
	if err := gateway.Install(ctx, cluster); err != nil {
		return err
	}
	source = newPrometheus(admin)
	webhook, err = local.Install(ctx, cluster, filepath.Join(dir, "gati-webhook"),
		"--prometheus-url="+source.URL, "--prometheus-scrape-interval=1s", "--prometheus-timeout=20s")
	if err != nil {
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
	if source != nil {
		source.Close()
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
