package cluster

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"gati.dev/gati/devcluster/internal/nodes"
	"gati.dev/gati/devcluster/internal/proc"
	"gati.dev/gati/devcluster/internal/state"
)

// Restart kills a component of a cluster that is up, as a crash would, and
// starts it again with the same arguments. It also starts one that had died.
func (c *Cluster) Restart(ctx context.Context, name string) error {
	lock, err := c.lock(ctx)
	if err != nil {
		return fmt.Errorf("there is no cluster to restart a part of: %w", err)
	}
	defer lock.Release()
	s, err := state.Load(c.dir)
	if err != nil {
		return err
	}
	if s == nil || s.Phase != state.Ready {
		return fmt.Errorf("the cluster in %s is not up; run devcluster up first", c.dir)
	}
	component, ok := s.Component(name)
	if !ok {
		return fmt.Errorf("there is no component %q; there are %s", name, componentNames(s))
	}
	return c.restart(ctx, s, component)
}

func (c *Cluster) restart(ctx context.Context, s *state.State, component *state.Component) error {
	if err := proc.Kill([]proc.ID{component.Process}); err != nil {
		return err
	}
	component.Process = proc.ID{}
	if err := s.Save(c.dir); err != nil {
		return err
	}
	r, err := c.newRun(s)
	if err != nil {
		return err
	}
	if err := r.prepareNodes(ctx, component.Name); err != nil {
		return err
	}
	for attempt := 1; ; attempt++ {
		if err := r.startComponent(component); err != nil {
			return err
		}
		err := r.healthy(ctx, component.Name)
		if !errors.Is(err, errPortTaken) || attempt == maxAttempts {
			return err
		}
		// The port must stay the same, because the others know it. Whoever
		// took it is a client with a short connection, most likely.
		time.Sleep(portWait)
	}
}

// portWait is how long a restart waits for its port to be free again.
const portWait = time.Second

// prepareNodes lets the nodes' provider get ready for the restart of a process
// of its own.
func (r *run) prepareNodes(ctx context.Context, name string) error {
	provider, err := nodes.Parse(r.state.Nodes)
	if err != nil {
		return err
	}
	for _, component := range provider.Components(nodes.Env{}) {
		if component.Name == name {
			return provider.Prepare(ctx, r.api)
		}
	}
	return nil
}

func componentNames(s *state.State) string {
	var names []string
	for _, component := range s.Components {
		names = append(names, component.Name)
	}
	return strings.Join(names, ", ")
}
