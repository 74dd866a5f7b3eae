package cluster

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"gati.dev/gati/devcluster/internal/nodes"
	"gati.dev/gati/devcluster/internal/state"
)

// LoadImage gives the node of a cluster that is up the images of an archive.
func (c *Cluster) LoadImage(ctx context.Context, archive string) error {
	s, err := c.readyState()
	if err != nil {
		return err
	}
	if s.Machine == nil {
		return fmt.Errorf("the cluster in %s has --nodes %s, and only a real node has images; start it with --nodes real", c.dir, s.Nodes)
	}
	path, err := filepath.Abs(archive)
	if err != nil {
		return fmt.Errorf("resolve %s: %w", archive, err)
	}
	if _, err := os.Stat(path); err != nil {
		return fmt.Errorf("read the image archive: %w", err)
	}
	r := run{Cluster: c, state: s}
	return nodes.LoadImage(ctx, nodes.Host{Env: c.nodeEnv(s), PID: r.pid}, path)
}

// Notes tell what else there is in a cluster that is up.
func (c *Cluster) Notes() ([]string, error) {
	s, err := c.readyState()
	if err != nil {
		return nil, err
	}
	provider, err := nodes.Parse(s.Nodes)
	if err != nil {
		return nil, err
	}
	return provider.Notes(c.nodeEnv(s)), nil
}

// readyState returns the state of a cluster that is up.
func (c *Cluster) readyState() (*state.State, error) {
	s, err := state.Load(c.dir)
	if err != nil {
		return nil, err
	}
	if s == nil || s.Phase != state.Ready {
		return nil, fmt.Errorf("the cluster in %s is not up; run devcluster up first", c.dir)
	}
	return s, nil
}
