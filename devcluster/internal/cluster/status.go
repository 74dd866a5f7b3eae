package cluster

import (
	"context"
	"fmt"
	"sync"
	"time"

	"gati.dev/gati/devcluster/internal/health"
	"gati.dev/gati/devcluster/internal/nodes"
	"gati.dev/gati/devcluster/internal/state"
)

const (
	// checkLimit bounds one look at one component.
	checkLimit = 2 * time.Second
	// recoverLimit is how long a cluster whose processes all run may take to
	// be well again before it is given up.
	recoverLimit = 30 * time.Second
)

// Status is a look at a cluster.
type Status struct {
	// Phase is empty when there is no cluster.
	Phase state.Phase
	// Working is whether an `up` or a `down` is at work.
	Working bool
	Parts   []Part
}

// Part is one line of a status.
type Part struct {
	Name, URL string
	PID       int
	// Problem is nil when the part is well.
	Problem error
}

// Healthy reports whether the cluster is up and all of it well.
func (s Status) Healthy() bool {
	for _, part := range s.Parts {
		if part.Problem != nil {
			return false
		}
	}
	return s.Phase == state.Ready
}

// Status looks at the cluster. It takes no lock, so it also answers while
// another launcher is at work.
func (c *Cluster) Status(ctx context.Context) (Status, error) {
	s, err := state.Load(c.dir)
	if err != nil || s == nil {
		return Status{}, err
	}
	between := s.Phase == state.Starting || s.Phase == state.Stopping
	status := Status{Phase: s.Phase, Working: between && s.Launcher.Alive()}
	status.Parts = c.checkComponents(ctx, s)
	if s.Phase == state.Ready {
		status.Parts = append(status.Parts, c.checkNodes(ctx, s))
	}
	return status, nil
}

// checkComponents asks all components at the same time.
func (c *Cluster) checkComponents(ctx context.Context, s *state.State) []Part {
	parts := make([]Part, len(s.Components))
	ctx, cancel := context.WithTimeout(ctx, checkLimit)
	defer cancel()
	_, client, clientErr := c.apiClients(s)
	var group sync.WaitGroup
	for i, component := range s.Components {
		parts[i] = Part{Name: component.Name, URL: component.URL, PID: component.Process.PID, Problem: clientErr}
		if clientErr == nil {
			group.Go(func() { parts[i].Problem = health.Check(ctx, client, component) })
		}
	}
	group.Wait()
	return parts
}

func (c *Cluster) checkNodes(ctx context.Context, s *state.State) Part {
	part := Part{Name: "nodes " + s.Nodes}
	provider, err := nodes.Parse(s.Nodes)
	if err != nil {
		part.Problem = err
		return part
	}
	api, _, err := c.apiClients(s)
	if err != nil {
		part.Problem = err
		return part
	}
	ctx, cancel := context.WithTimeout(ctx, checkLimit)
	defer cancel()
	ready, total, err := provider.Ready(ctx, api)
	if err == nil && ready < total {
		err = fmt.Errorf("%d of %d ready", ready, total)
	}
	part.Problem = err
	return part
}

// awaitRecovery waits for a cluster to be well, as long as there is hope: one
// process that is gone does not come back.
func (c *Cluster) awaitRecovery(ctx context.Context, s *state.State) error {
	deadline := time.Now().Add(recoverLimit)
	for {
		problem := firstProblem(c.checkComponents(ctx, s))
		if problem == nil || ctx.Err() != nil || time.Now().After(deadline) {
			return problem
		}
		for _, component := range s.Components {
			if !component.Process.Alive() {
				return problem
			}
		}
		time.Sleep(askInterval)
	}
}

func firstProblem(parts []Part) error {
	for _, part := range parts {
		if part.Problem != nil {
			return fmt.Errorf("%s: %w", part.Name, part.Problem)
		}
	}
	return nil
}
