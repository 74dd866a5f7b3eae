package integration

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	gatewayv1 "sigs.k8s.io/gateway-api/apis/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/local"
)

const (
	// nodes is enough for the pods of every test at once.
	nodes = 8
	// startWithin bounds the start of the cluster, without builds.
	startWithin = 10 * time.Minute
	// atOnce is how many tests run side by side: they mostly wait.
	atOnce = "8"
)

// What all tests share.
var (
	tools   local.Tools
	cluster *local.Cluster
	webhook *local.Webhook
	// admin asks the API server itself; it has no cache.
	admin client.WithWatch
	// began is when gati-webhook was started for the first time.
	began time.Time
)

func TestMain(m *testing.M) {
	flag.Parse()
	// The default is one test for each processor.
	if err := flag.Set("test.parallel", atOnce); err != nil {
		panic(err)
	}
	os.Exit(run(m))
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "gati-integration-")
	if err != nil {
		return failed(err)
	}
	defer os.RemoveAll(dir)
	// The cluster's processes outlive this one unless they are told to end.
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-interrupted
		fmt.Fprintln(os.Stderr, "interrupted; taking the cluster down:", errors.Join(end(), os.RemoveAll(dir)))
		os.Exit(130)
	}()
	if err := start(context.Background(), dir); err != nil {
		return failed(errors.Join(err, end()))
	}
	code := m.Run()
	if err := refusals(); err != nil {
		code = failed(err)
	}
	if code != 0 {
		tell(webhook.Log())
	}
	if err := end(); err != nil {
		code = failed(err)
	}
	return code
}

// start brings up what the tests share.
func start(ctx context.Context, dir string) error {
	ctx, cancel := context.WithTimeout(ctx, startWithin)
	defer cancel()
	var err error
	if tools, err = local.ToolsFrom(cmp.Or(os.Getenv("GATI_BIN"), filepath.Join("..", "..", "bin"))); err != nil {
		return err
	}
	if cluster, err = chosen(ctx, dir); err != nil {
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
	if webhook, err = local.Install(ctx, cluster, filepath.Join(dir, "gati-webhook")); err != nil {
		return err
	}
	began = time.Now()
	return webhook.Start(ctx)
}

func chosen(ctx context.Context, dir string) (*local.Cluster, error) {
	if path := os.Getenv("GATI_TEST_KUBECONFIG"); path != "" {
		c, err := local.Existing(tools, path)
		if err == nil {
			c.AuditLog = os.Getenv("GATI_TEST_AUDIT_LOG")
		}
		return c, err
	}
	return local.Up(ctx, tools, filepath.Join(dir, "cluster"), nodes, io.Discard)
}

// end stops what start has started.
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
	utilruntime.Must(apiextensionsv1.AddToScheme(s))
	utilruntime.Must(gatewayv1.Install(s))
	utilruntime.Must(v1.AddToScheme(s))
	return s
}

func failed(err error) int {
	fmt.Fprintln(os.Stderr, "FAIL:", err)
	return 1
}

// tell prints the errors that gati-webhook has logged: its log goes with the
// cluster.
func tell(path string) {
	text, err := os.ReadFile(path)
	if err != nil {
		return
	}
	const most = 40
	var lines []string
	for _, line := range strings.Split(string(text), "\n") {
		if strings.Contains(line, `"level":"error"`) || strings.Contains(line, "panic") {
			lines = append(lines, line)
		}
	}
	fmt.Fprintf(os.Stderr, "the last errors in the log of gati-webhook, of %d:\n%s\n", len(lines), strings.Join(lines[max(0, len(lines)-most):], "\n"))
}
