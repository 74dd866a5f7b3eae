package terminal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"gati.dev/gati/internal/local"
	"gati.dev/gati/test/support/gateway"
	"gati.dev/gati/test/support/place"
	"gati.dev/gati/test/support/repository"
	"gati.dev/gati/test/support/watchdog"
)

const (
	// KubeconfigVariable names a cluster to use in place of a devcluster, on this
	// machine and for tests alone; AuditVariable is then the file that its API server
	// writes its audit log to.
	KubeconfigVariable, AuditVariable = "GATI_TEST_KUBECONFIG", "GATI_TEST_AUDIT_LOG"
	// startWithin bounds the start of the cluster, without builds.
	startWithin = 10 * time.Minute
)

// patient keeps gati-webhook leader while the machine is busier than an API
// server should be: here is no kubelet to start it again.
var patient = []string{"--leader-election-lease-duration=90s", "--leader-election-renew-deadline=60s"}

// Setup configures the cluster that the tests of a package share.
type Setup struct {
	// Nodes is how many simulated nodes there are.
	Nodes int
	// Bare leaves it to the tests to install Gati: Webhook is prepared, and nothing
	// is applied or started.
	Bare bool
	// Serve, which is app.Serve, runs gati-webhook within the test program: there
	// breakpoints and the coverage of the tests reach it, and Webhook cannot be stopped.
	Serve func(ctx context.Context, args []string, log io.Writer) error
	// Mortal is for tests that kill gati-webhook: it has the lease that it has by
	// default, which the next process does not wait for long.
	Mortal bool
	// GatewayAPI installs the kinds of the Gateway API before Gati.
	GatewayAPI bool
	// Flags are more flags of gati-webhook.
	Flags []string
	// Up is called before the first test, when all of this is up.
	Up func(*Environment) error
	// Done is called after the last test with the exit code so far.
	Done func(code int) error
}

// Main starts a cluster, runs the tests of a package with it, and leaves nothing of it,
// however the tests end. It fails rather than skips where something is missing: a test
// that does not run proves nothing.
func Main(m *testing.M, s Setup, into **Environment) int {
	log.SetLogger(logr.Discard()) // Tests print what they see themselves.
	tools, err := local.FindTools(repository.Bin())
	if err != nil {
		return failed(err)
	}
	release, err := place.Take()
	if err != nil {
		return failed(err)
	}
	defer release()
	return watchdog.Run(tools.Devcluster, func(folder string) int {
		c := &Environment{dir: folder}
		*into = c
		if err := c.start(context.Background(), tools, s); err != nil {
			return failed(errors.Join(err, c.end()))
		}
		code := m.Run()
		if s.Done != nil {
			if err := s.Done(code); err != nil {
				code = failed(err)
			}
		}
		if err := c.end(); err != nil {
			return failed(err)
		}
		return code
	})
}

func (c *Environment) start(ctx context.Context, tools local.Tools, s Setup) (err error) {
	ctx, cancel := context.WithTimeout(ctx, startWithin)
	defer cancel()
	if c.Cluster, err = c.chosen(ctx, tools, s.Nodes); err != nil {
		return err
	}
	if c.Config, err = c.Cluster.Admin(); err != nil {
		return err
	}
	if s.GatewayAPI {
		if err := gateway.Install(ctx, c.Cluster); err != nil {
			return err
		}
	}
	if err := c.bringUp(ctx, s); err != nil || s.Up == nil {
		return err
	}
	return s.Up(c)
}

func (c *Environment) chosen(ctx context.Context, tools local.Tools, nodes int) (*local.Cluster, error) {
	if path := os.Getenv(KubeconfigVariable); path != "" {
		existing, err := local.UseExisting(tools, path)
		if err == nil {
			existing.AuditLog = os.Getenv(AuditVariable)
		}
		return existing, err
	}
	return local.Up(ctx, tools, filepath.Join(c.dir, watchdog.Cluster), nodes, io.Discard)
}

// bringUp prepares gati-webhook and, unless the tests do so, installs and starts it.
func (c *Environment) bringUp(ctx context.Context, s Setup) (err error) {
	dir := filepath.Join(c.dir, "gati-webhook")
	if s.Bare {
		c.Webhook, err = local.Prepare(c.Cluster, dir, s.Flags...)
		return err
	}
	flags := s.Flags
	if !s.Mortal {
		flags = slices.Concat(patient, flags)
	}
	if c.Webhook, err = local.Install(ctx, c.Cluster, dir, flags...); err != nil {
		return err
	}
	if s.Serve == nil {
		return c.Webhook.Start(ctx)
	}
	return c.serve(ctx, s.Serve)
}

// serve runs gati-webhook in this process and returns when it is ready.
func (c *Environment) serve(ctx context.Context, run func(context.Context, []string, io.Writer) error) error {
	log, err := os.Create(c.Webhook.LogPath())
	if err != nil {
		return err
	}
	running, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- run(running, c.Webhook.Args(), log) }()
	c.stop = func() error {
		cancel()
		return errors.Join(<-ended, log.Close())
	}
	return c.Webhook.AwaitReady(ctx)
}

// end stops what start has started.
func (c *Environment) end() error {
	var errs []error
	if c.stop != nil {
		errs = append(errs, c.stop())
	}
	if c.Webhook != nil {
		errs = append(errs, c.Webhook.Stop())
	}
	if c.Cluster != nil {
		errs = append(errs, c.Cluster.Down(io.Discard))
	}
	return errors.Join(errs...)
}

func failed(err error) int {
	fmt.Fprintln(os.Stderr, "FAIL:", err)
	return 1
}
