package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"

	"gati.dev/gati/devcluster/internal/control"
	"gati.dev/gati/devcluster/internal/logtail"
	"gati.dev/gati/devcluster/internal/nodes"
	"gati.dev/gati/devcluster/internal/ports"
	"gati.dev/gati/devcluster/internal/proc"
	"gati.dev/gati/devcluster/internal/state"
)

// maxAttempts bounds how often a start that lost its port is tried again.
const maxAttempts = 3

// errPortTaken says that somebody took a port between the moment it was found
// free and the start of the component it was meant for.
var errPortTaken = errors.New("a port was taken by another program")

// start gets the executables and starts everything, with new ports when one
// was taken away.
func (c *Cluster) start(ctx context.Context, s *state.State, options UpOptions) error {
	assets, err := options.Assets(ctx)
	if err != nil {
		return err
	}
	s.Assets = assets
	for attempt := 1; ; attempt++ {
		err := c.attempt(ctx, s, options.Nodes)
		if !errors.Is(err, errPortTaken) || attempt == maxAttempts {
			return err
		}
		c.progress.Printf("%v; trying again with other ports", errPortTaken)
		if err := errors.Join(c.stopAll(s), c.removeFiles(append(ours, control.LogDir)...)); err != nil {
			return err
		}
	}
}

// attempt starts everything once.
func (c *Cluster) attempt(ctx context.Context, s *state.State, provider nodes.Provider) error {
	reserved, err := ports.Reserve(append(control.PortNames(), provider.PortNames()...)...)
	if err != nil {
		return err
	}
	s.Ports = reserved.Numbers()
	defer reserved.Release(names(s.Ports)...)
	if err := c.fill(s, provider); err != nil {
		return err
	}
	run, err := c.newRun(s)
	if err != nil {
		return err
	}
	if err := run.controlPlane(ctx, reserved); err != nil {
		return err
	}
	return run.rest(ctx, reserved, provider)
}

func names(numbers map[string]int) []string {
	var names []string
	for name := range numbers {
		names = append(names, name)
	}
	return names
}

// startComponent starts one process. The state names the component before and
// its process right after; in between, the marker finds it.
func (c *Cluster) startComponent(s *state.State, component *state.Component) (*proc.Process, error) {
	process, err := proc.Start(proc.Spec{
		Path:    component.Path,
		Args:    component.Args,
		Marker:  s.Marker,
		Home:    c.path(control.DataDir),
		LogFile: c.logPath(component.Name),
		Env:     component.Env,
	})
	if err != nil {
		return nil, err
	}
	component.Process = process.ID
	return process, s.Save(c.dir)
}

// diedError tells why a component is not there any more.
func (c *Cluster) diedError(name string) error {
	path := c.logPath(name)
	err := fmt.Errorf("%s ended while it started; %s", name, logtail.Describe(path))
	log, readErr := os.ReadFile(path)
	if readErr == nil && ports.Taken(string(log)) {
		return fmt.Errorf("%w: %w", errPortTaken, err)
	}
	return err
}
