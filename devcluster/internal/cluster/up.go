package cluster

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"gati.dev/gati/devcluster/internal/nodes"
	"gati.dev/gati/devcluster/internal/proc"
	"gati.dev/gati/devcluster/internal/state"
)

// UpOptions say what cluster to bring up.
type UpOptions struct {
	Nodes nodes.Provider
	// NodesGiven is whether the user asked for these nodes. A cluster that is
	// up with others is only an error then.
	NodesGiven bool
	// Assets returns the directory of the executables. It may take minutes.
	Assets func(context.Context) (string, error)
}

// Up brings the cluster up. It returns true when it was up before.
func (c *Cluster) Up(ctx context.Context, options UpOptions) (already bool, err error) {
	if err := os.Mkdir(c.dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return false, fmt.Errorf("make the cluster's directory: %w", err)
	}
	lock, err := c.lockDirectory(ctx)
	if errors.Is(err, fs.ErrNotExist) { // A `down` was at work, and removed it.
		return c.Up(ctx, options)
	}
	if err != nil {
		return false, err
	}
	defer lock.Release()
	found, err := c.findState()
	if err != nil {
		return false, err
	}
	if up, err := c.isUp(ctx, found, options); up || err != nil {
		return up, err
	}
	if err := c.clearLeftovers(found); err != nil {
		return false, err
	}
	return false, c.launchCluster(ctx, options)
}

// findState reads the state of a directory that must be a cluster's or empty.
func (c *Cluster) findState() (*state.State, error) {
	found, err := state.Load(c.dir)
	if err != nil || found != nil {
		return found, err
	}
	empty, err := isEmpty(c.dir)
	if err != nil {
		return nil, err
	}
	if !empty {
		return nil, fmt.Errorf("%s holds files and is no devcluster; choose another directory with --dir", c.dir)
	}
	return nil, nil
}

// isUp reports whether the cluster that was found is up and well.
func (c *Cluster) isUp(ctx context.Context, found *state.State, options UpOptions) (bool, error) {
	if found == nil || found.Phase != state.Ready {
		return false, nil
	}
	if err := c.awaitRecovery(ctx, found); err != nil {
		if ctx.Err() != nil {
			return false, context.Cause(ctx)
		}
		c.progress.Printf("the cluster in %s is not well any more (%v); a new one takes its place", c.dir, err)
		return false, nil
	}
	if options.NodesGiven && found.Nodes != options.Nodes.String() {
		return false, fmt.Errorf("the cluster in %s is up with --nodes %s; take it down first to get %s", c.dir, found.Nodes, options.Nodes)
	}
	return true, nil
}

// launchCluster starts a new cluster, and leaves nothing but logs when it fails.
func (c *Cluster) launchCluster(ctx context.Context, options UpOptions) error {
	s := &state.State{
		Marker:   state.NewMarker(c.dir),
		Phase:    state.Starting,
		Created:  time.Now().UTC().Truncate(time.Second),
		Launcher: proc.Self(),
		Nodes:    options.Nodes.String(),
	}
	if err := s.Save(c.dir); err != nil {
		return err
	}
	if err := c.startWithRetry(ctx, s, options); err != nil {
		return c.giveUp(ctx, s, err)
	}
	if err := c.publishKubeconfig(); err != nil {
		return c.giveUp(ctx, s, err)
	}
	return c.enterPhase(s, state.Ready)
}

// giveUp stops what was started. The logs stay to be read, unless the user
// broke off: then there is nothing to find out from them.
func (c *Cluster) giveUp(ctx context.Context, s *state.State, reason error) error {
	if ctx.Err() != nil {
		return errors.Join(errors.New("interrupted; what was started is stopped and removed"), c.removeCluster(s, false))
	}
	err := errors.Join(c.enterPhase(s, state.Failed), c.stopAll(s), c.removeFiles(ours...))
	return errors.Join(reason, err)
}

func (c *Cluster) enterPhase(s *state.State, phase state.Phase) error {
	if err := s.Enter(phase); err != nil {
		return err
	}
	return s.Save(c.dir)
}
