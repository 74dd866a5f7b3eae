package cluster

import (
	"context"
	"errors"
	"slices"

	"gati.dev/gati/devcluster/internal/control"
	"gati.dev/gati/devcluster/internal/nodes"
	"gati.dev/gati/devcluster/internal/ports"
	"gati.dev/gati/devcluster/internal/state"
)

// maxAttempts bounds how often a start that lost its port is tried again.
const maxAttempts = 3

// startWithRetry gets the executables and starts everything, with new ports when one
// was taken away.
func (c *Cluster) startWithRetry(ctx context.Context, s *state.State, options UpOptions) error {
	if err := options.Nodes.Check(ctx, c.progress.Printf); err != nil {
		return err
	}
	assets, err := options.Assets(ctx)
	if err != nil {
		return err
	}
	s.Assets = assets
	for attempt := 1; ; attempt++ {
		err := c.startOnce(ctx, s, options.Nodes)
		if !errors.Is(err, errPortTaken) || attempt == maxAttempts {
			return err
		}
		c.progress.Printf("%v; trying again with other ports", errPortTaken)
		if err := errors.Join(c.stopAll(s), c.removeFiles(ours...), c.removeFiles(control.LogDir)); err != nil {
			return err
		}
	}
}

// startOnce starts everything once.
func (c *Cluster) startOnce(ctx context.Context, s *state.State, provider nodes.Provider) error {
	reserved, err := ports.Reserve(append(control.PortNames(), provider.PortNames()...)...)
	if err != nil {
		return err
	}
	defer reserved.Close()
	s.Ports = reserved.Numbers()
	if s.Machine, err = provider.Claim(s.Marker); err != nil {
		return err
	}
	if err := c.fill(s, provider); err != nil {
		return err
	}
	r, err := c.newRun(s, provider)
	if err != nil {
		return err
	}
	return r.startAll(ctx, reserved)
}

// fill notes the components in the state and writes all files of a cluster.
func (c *Cluster) fill(s *state.State, provider nodes.Provider) error {
	env := c.nodeEnv(s)
	plane := control.Config{Dir: c.dir, Assets: s.Assets, Ports: s.Ports,
		Clients: provider.Clients(env), Network: provider.Network(env)}
	planeFiles, err := plane.Files()
	if err != nil {
		return err
	}
	nodeFiles, err := provider.Files(env)
	if err != nil {
		return err
	}
	before, behind := provider.Components(env)
	s.Components = slices.Concat(before, plane.Components(), behind)
	if err := s.Save(c.dir); err != nil {
		return err
	}
	return c.writeFiles(map[string][]byte{gitIgnore: []byte("*\n")}, planeFiles, nodeFiles)
}
