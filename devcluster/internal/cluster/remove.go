package cluster

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"time"

	"gati.dev/gati/devcluster/internal/control"
	"gati.dev/gati/devcluster/internal/proc"
	"gati.dev/gati/devcluster/internal/state"
)

// stopGrace is how long processes get to end by themselves. Their data is
// about to be removed, so there is little that they could still do with it.
const stopGrace = 3 * time.Second

// Down takes the cluster down. It returns false when there was nothing.
func (c *Cluster) Down(ctx context.Context, keepLogs bool) (existed bool, err error) {
	lock, err := c.lock(ctx)
	if errors.Is(err, fs.ErrNotExist) {
		return c.stopOrphans()
	}
	if err != nil {
		return false, err
	}
	defer lock.Release()
	found, err := state.Load(c.dir)
	if err != nil {
		return false, err
	}
	if found != nil {
		return true, c.clear(found, keepLogs)
	}
	existed, err = c.stopOrphans()
	if empty, _ := isEmpty(c.dir); empty {
		err = errors.Join(err, c.removeDir())
	}
	return existed, err
}

// clearLeftovers removes what an earlier run left: of the state that was
// found, and of one whose directory was deleted under it.
func (c *Cluster) clearLeftovers(found *state.State) error {
	if found == nil {
		_, err := c.stopOrphans()
		return err
	}
	if found.Phase != state.Stopped && found.Phase != state.Failed {
		c.progress.Printf("removing what an earlier run left in %s", c.dir)
	}
	if err := c.clear(found, true); err != nil {
		return err
	}
	return c.removeFiles(control.LogDir)
}

// clear stops the processes and removes the files of a cluster. The state
// stays until nothing else does.
func (c *Cluster) clear(s *state.State, keepLogs bool) error {
	s.Launcher = proc.Self()
	if err := c.enter(s, state.Stopping); err != nil {
		return err
	}
	if err := c.stopAll(s); err != nil {
		return err
	}
	if err := c.removeFiles(ours...); err != nil {
		return err
	}
	if keepLogs {
		return c.enter(s, state.Stopped)
	}
	if err := c.removeFiles(control.LogDir); err != nil {
		return err
	}
	return c.removeDir()
}

// stopAll stops every process of the cluster: those that the state names, and
// those that only carry its marker, because their launcher was killed before
// it could name them.
func (c *Cluster) stopAll(s *state.State) error {
	ids, err := proc.Find(s.Marker, commands(s))
	if err != nil {
		return err
	}
	var store proc.ID
	for _, component := range s.Components {
		ids = append(ids, component.Process)
		if component.Name == control.Etcd {
			store = component.Process
		}
	}
	// The store goes last: without it the API server does not end by itself.
	ids = slices.DeleteFunc(ids, func(id proc.ID) bool { return id == store })
	if err := errors.Join(proc.Stop(ids, stopGrace), proc.Stop([]proc.ID{store}, stopGrace)); err != nil {
		return err
	}
	s.Components = nil
	return s.Save(c.dir)
}

// commands are the command lines of a cluster's components.
func commands(s *state.State) []string {
	var lines []string
	for _, component := range s.Components {
		lines = append(lines, strings.Join(append([]string{component.Path}, component.Args...), " "))
	}
	return lines
}

// stopOrphans ends processes of a cluster whose directory was deleted while it
// was up.
func (c *Cluster) stopOrphans() (existed bool, err error) {
	ids, err := proc.Find(state.MarkerPrefix(c.dir), nil)
	if err != nil || len(ids) == 0 {
		return false, err
	}
	c.progress.Printf("ending %d processes of a cluster whose directory %s was deleted", len(ids), c.dir)
	return true, proc.Stop(ids, stopGrace)
}
