package e2e

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"gati.dev/gati/internal/local"
	"gati.dev/gati/internal/sampleapp"
)

const (
	// repository is the root of the checkout, from here.
	repository = "../.."
	// startWithin bounds the start of the cluster and the first build for it.
	startWithin = 40 * time.Minute
	// attempts is how often a start of the cluster may be tried.
	attempts = 2
)

// What all scenarios share.
var (
	tools   local.Tools
	cluster *local.Cluster
	// admin asks the API server itself; it has no cache.
	admin client.WithWatch
	// adminConfig is how to reach the API server.
	adminConfig *rest.Config
)

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) (code int) {
	dir, keep := os.Getenv("GATI_E2E_DIR"), true
	if dir == "" {
		place, err := claim()
		if err != nil {
			return failed(err)
		}
		defer place.leave()
		dir, keep = place.cluster(), false
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return failed(err)
	}
	end := func() error {
		if keep || cluster == nil {
			return nil
		}
		return cluster.Down(os.Stderr)
	}
	// The cluster's processes outlive this one unless they are told to end.
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-interrupted
		fmt.Fprintln(os.Stderr, "interrupted; taking the cluster down:", end())
		os.Exit(130)
	}()
	if err := start(context.Background(), dir, keep); err != nil {
		return failed(errors.Join(err, end()))
	}
	code = m.Run()
	if err := end(); err != nil {
		code = failed(err)
	}
	return code
}

// start brings up what the scenarios share, except for Gati: that is a
// scenario's. A cluster that is not kept is a new one.
func start(ctx context.Context, dir string, keep bool) error {
	ctx, cancel := context.WithTimeout(ctx, startWithin)
	defer cancel()
	if runtime.GOOS != "linux" || os.Geteuid() != 0 {
		return errors.New("these tests run real pods, which takes Linux and root: run them as root, on a machine or in a container that may make namespaces")
	}
	log.SetLogger(logr.Discard())
	var err error
	if tools, err = local.ToolsFrom(cmp.Or(os.Getenv("GATI_BIN"), filepath.Join(repository, "bin"))); err != nil {
		return err
	}
	if !keep {
		if err := local.Remove(tools, dir, os.Stderr); err != nil {
			return err
		}
	}
	sample, err := sampleapp.Image(ctx, filepath.Join(repository, sampleapp.Dir))
	if err != nil {
		return err
	}
	if err := up(ctx, dir); err != nil {
		return err
	}
	for _, archive := range []string{sample, webhookImage()} {
		if err := cluster.LoadImage(ctx, archive); err != nil {
			return err
		}
	}
	if adminConfig, err = cluster.Admin(); err != nil {
		return err
	}
	adminConfig.WarningHandlerWithContext = rest.NoWarnings{}
	admin, err = client.NewWithWatch(adminConfig, client.Options{Scheme: newScheme()})
	return err
}

func webhookImage() string {
	return cmp.Or(os.Getenv("GATI_IMAGE"), filepath.Join(repository, "dist", "gati-webhook.tar"))
}

// up starts the cluster, once more if the machine was too busy for the first
// time; nothing of Gati is tested by it.
func up(ctx context.Context, dir string) (err error) {
	for attempt := range attempts {
		if cluster, err = local.UpReal(ctx, tools, dir, os.Stderr); err == nil {
			return nil
		}
		fmt.Fprintf(os.Stderr, "attempt %d of %d: %v\n", attempt+1, attempts, err)
	}
	return err
}

func failed(err error) int {
	fmt.Fprintln(os.Stderr, "FAIL:", err)
	return 1
}
