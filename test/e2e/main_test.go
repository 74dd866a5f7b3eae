package e2e

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"gati.dev/gati/internal/local"
	"gati.dev/gati/internal/sampleapp"
	"gati.dev/gati/test/support/kube"
	"gati.dev/gati/test/support/repository"
	"gati.dev/gati/test/support/watchdog"
)

const (
	// startWithin bounds the start of the cluster and the first build for it.
	startWithin = 40 * time.Minute
	// sideBySide is how many scenarios that share nothing but Gati run side by side: most of
	// their time they wait. Those that change what all share run before them, alone.
	sideBySide = "4"
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

func TestMain(m *testing.M) { os.Exit(runAll(m)) }

func runAll(m *testing.M) int {
	flag.Parse()
	// The default is one for each processor.
	if err := flag.Set("test.parallel", sideBySide); err != nil {
		return printFailure(err)
	}
	g, err := chosenGround()
	if err != nil {
		return printFailure(err)
	}
	if g.kubeconfig != "" || g.kept {
		return runScenarios(m, g)
	}
	return watchdog.Run(filepath.Join(repository.Bin(), "devcluster"), func(folder string) int {
		g.dir = filepath.Join(folder, watchdog.Cluster)
		return runScenarios(m, g)
	})
}

// runScenarios runs the scenarios.
func runScenarios(m *testing.M, g *ground) int {
	if err := startShared(context.Background(), g); err != nil {
		return printFailure(errors.Join(err, g.tearDown()))
	}
	code := m.Run()
	if err := g.tearDown(); err != nil {
		code = printFailure(err)
	}
	return code
}

// startShared brings up what the scenarios share, except for Gati: that is a
// scenario's.
func startShared(ctx context.Context, g *ground) error {
	ctx, cancel := context.WithTimeout(ctx, startWithin)
	defer cancel()
	if g.kubeconfig == "" && (runtime.GOOS != "linux" || os.Geteuid() != 0) {
		return errors.New("these tests run real pods, which takes Linux and root: run them as root, on a machine or in a container that may make namespaces")
	}
	log.SetLogger(logr.Discard())
	var err error
	if tools, err = local.FindTools(repository.Bin()); err != nil {
		return err
	}
	sample, err := sampleapp.Image(ctx, repository.Path(sampleapp.Dir))
	if err != nil {
		return err
	}
	if cluster, err = g.bringUp(ctx); err != nil {
		return err
	}
	if err := loadImages(ctx, sample, cmp.Or(os.Getenv("GATI_IMAGE"), repository.Path("dist", "gati-webhook.tar"))); err != nil {
		return err
	}
	if adminConfig, err = cluster.Admin(); err != nil {
		return err
	}
	adminConfig.WarningHandlerWithContext = rest.NoWarnings{}
	admin, err = kube.PatientClient(adminConfig)
	return err
}

// loadImages gives the nodes what the scenarios run.
func loadImages(ctx context.Context, archives ...string) error {
	if !cluster.IsDevcluster() {
		fmt.Fprintf(os.Stderr, "The nodes of %s are taken to have the images of %s.\n", cluster.Kubeconfig, strings.Join(archives, " and "))
		return nil
	}
	for _, archive := range archives {
		if err := cluster.LoadImage(ctx, archive); err != nil {
			return err
		}
	}
	return nil
}

func printFailure(err error) int {
	fmt.Fprintln(os.Stderr, "FAIL:", err)
	return 1
}
