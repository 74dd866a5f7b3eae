package e2e

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"gati.dev/gati/internal/local"
)

// attempts is how often a start of the cluster may be tried.
const attempts = 2

// ground is the cluster that the scenarios of a run happen on.
type ground struct {
	// kubeconfig names a cluster that is there already.
	kubeconfig string
	// dir is the folder of a devcluster. kept means that it stays for the next run.
	dir  string
	kept bool
	// flags are those of devcluster beside the ones that all scenarios need.
	flags []string
}

// chosenGround returns what the environment names: a cluster that is there, or the
// folder of one that is kept. Without either, dir is still to be set.
func chosenGround() (*ground, error) {
	g := &ground{kubeconfig: os.Getenv("GATI_TEST_KUBECONFIG"), dir: os.Getenv("GATI_E2E_DIR"), flags: strings.Fields(os.Getenv("GATI_E2E_FLAGS"))}
	if g.kept = g.dir != ""; g.kept && g.kubeconfig != "" {
		return nil, errors.New("GATI_TEST_KUBECONFIG and GATI_E2E_DIR both name a cluster; set one of them")
	}
	return g, nil
}

// bringUp returns the cluster once it can be worked on.
func (g *ground) bringUp(ctx context.Context) (*local.Cluster, error) {
	if g.kubeconfig != "" {
		return local.UseExisting(tools, g.kubeconfig)
	}
	return startDevcluster(ctx, g.dir, g.flags)
}

// startDevcluster starts a devcluster, once more if the machine was too busy for the first
// time; nothing of Gati is tested by it.
func startDevcluster(ctx context.Context, dir string, flags []string) (c *local.Cluster, err error) {
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return nil, err
	}
	for attempt := range attempts {
		if c, err = local.UpReal(ctx, tools, dir, os.Stderr, flags...); err == nil {
			return c, nil
		}
		fmt.Fprintf(os.Stderr, "attempt %d of %d: %v\n", attempt+1, attempts, err)
	}
	return nil, err
}

// tearDown removes the cluster if it was made for this run alone.
func (g *ground) tearDown() error {
	if g.kept || cluster == nil {
		return nil
	}
	return cluster.Down(os.Stderr)
}
