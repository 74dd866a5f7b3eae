package cluster

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"gati.dev/gati/devcluster/internal/nodes"
	"gati.dev/gati/devcluster/internal/proc"
	"gati.dev/gati/devcluster/internal/state"
)

// Restart kills a component of a cluster that is up, as a crash would, and
// starts it again with the same arguments. It also starts one that had died.
func (c *Cluster) Restart(ctx context.Context, name string) error {
	lock, err := c.lockDirectory(ctx)
	if err != nil {
		return fmt.Errorf("there is no cluster to restart a part of: %w", err)
	}
	defer lock.Release()
	s, err := c.readyState()
	if err != nil {
		return err
	}
	component, ok := s.Component(name)
	if !ok {
		return fmt.Errorf("there is no component %q; there are %s", name, componentNames(s))
	}
	if inside := slices.IndexFunc(s.Components, func(other state.Component) bool { return other.Inside == name }); inside >= 0 {
		return fmt.Errorf("%s holds what %s and others run in, and they would go with it; take the cluster down and up instead", name, s.Components[inside].Name)
	}
	return c.restartComponent(ctx, s, component)
}

func (c *Cluster) restartComponent(ctx context.Context, s *state.State, component *state.Component) error {
	if err := proc.Kill([]proc.ID{component.Process}); err != nil {
		return err
	}
	component.Process = proc.ID{}
	if err := s.Save(c.dir); err != nil {
		return err
	}
	provider, err := nodes.Parse(s.Nodes)
	if err != nil {
		return err
	}
	r, err := c.newRun(s, provider)
	if err != nil {
		return err
	}
	if err := r.prepareNode(ctx, component.Name); err != nil {
		return err
	}
	for attempt := 1; ; attempt++ {
		if err := r.startComponent(component); err != nil {
			return err
		}
		err := r.completeNode(ctx, component.Name)
		if !errors.Is(err, errPortTaken) || attempt == maxAttempts {
			return err
		}
		// The port must stay the same, because the others know it. It is most
		// likely taken by a client with a short connection.
		time.Sleep(portWait)
	}
}

// portWait is how long a restart waits for its port to be free again.
const portWait = time.Second

func componentNames(s *state.State) string {
	var names []string
	for _, component := range s.Components {
		names = append(names, component.Name)
	}
	return strings.Join(names, ", ")
}
