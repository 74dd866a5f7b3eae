package e2e

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"gati.dev/gati/internal/local"
)

// attempts is how often a start of the cluster may be tried.
const attempts = 2

// ground is where the scenarios of a run happen. It has one of the three.
type ground struct {
	// kubeconfig names a cluster that somebody else has started.
	kubeconfig string
	// kept is the directory of a devcluster that stays for the next run.
	kept string
	// place is where a new devcluster is that is gone afterwards.
	place *place
}

// chosenGround is what the environment says.
func chosenGround() (*ground, error) {
	g := &ground{kubeconfig: os.Getenv("GATI_TEST_KUBECONFIG"), kept: os.Getenv("GATI_E2E_DIR")}
	switch {
	case g.kubeconfig != "" && g.kept != "":
		return nil, errors.New("GATI_TEST_KUBECONFIG and GATI_E2E_DIR both name a cluster; set one of them")
	case g.kubeconfig != "" || g.kept != "":
		return g, nil
	}
	var err error
	g.place, err = claim()
	return g, err
}

// bring returns the cluster once it can be worked on.
func (g *ground) bring(ctx context.Context) (*local.Cluster, error) {
	switch {
	case g.kubeconfig != "":
		return local.Existing(tools, g.kubeconfig)
	case g.kept != "":
		return up(ctx, g.kept)
	}
	if err := local.Remove(tools, g.place.cluster(), os.Stderr); err != nil {
		return nil, err
	}
	return up(ctx, g.place.cluster())
}

// up starts a devcluster, once more if the machine was too busy for the first
// time; nothing of Gati is tested by it.
func up(ctx context.Context, dir string) (c *local.Cluster, err error) {
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return nil, err
	}
	for attempt := range attempts {
		if c, err = local.UpReal(ctx, tools, dir, os.Stderr); err == nil {
			return c, nil
		}
		fmt.Fprintf(os.Stderr, "attempt %d of %d: %v\n", attempt+1, attempts, err)
	}
	return nil, err
}

// end removes the cluster if it was made for this run alone.
func (g *ground) end() error {
	if g.place == nil || cluster == nil {
		return nil
	}
	return cluster.Down(os.Stderr)
}

// leave removes the place, after end.
func (g *ground) leave() {
	if g.place != nil {
		g.place.leave()
	}
}
