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
	"gati.dev/gati/devcluster/internal/sandbox"
	"gati.dev/gati/devcluster/internal/state"
)

// stopGrace is how long processes get to end by themselves. Their data is
// about to be removed, so there is little that they could still do with it.
const stopGrace = 3 * time.Second

// Down takes the cluster down. It returns false when there was nothing.
func (c *Cluster) Down(ctx context.Context, keepLogs bool) (existed bool, err error) {
	lock, err := c.lockDirectory(ctx)
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
		return true, c.removeCluster(found, keepLogs)
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
	if err := c.removeCluster(found, true); err != nil {
		return err
	}
	return c.removeFiles(control.LogDir)
}

// removeCluster stops the processes and removes the files of a cluster. The state
// stays until nothing else does.
func (c *Cluster) removeCluster(s *state.State, keepLogs bool) error {
	s.Launcher = proc.Self()
	if err := c.enterPhase(s, state.Stopping); err != nil {
		return err
	}
	if err := c.stopAll(s); err != nil {
		return err
	}
	if err := c.removeFiles(ours...); err != nil {
		return err
	}
	if keepLogs {
		return c.enterPhase(s, state.Stopped)
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
	if err := c.stopMachine(s); err != nil {
		return err
	}
	ids, err := proc.Find(s.Marker, commandLines(s))
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
	if err := s.Save(c.dir); err != nil {
		return err
	}
	return c.releaseMachine(s)
}

// stopMachine stops what a real node runs, containers and all. There is no
// grace: a kubelet would start again what ends, and nothing here outlives it.
func (c *Cluster) stopMachine(s *state.State) error {
	if s.Machine == nil {
		return nil
	}
	var inside []proc.ID
	for _, component := range s.Components {
		if component.Inside != "" {
			inside = append(inside, component.Process)
		}
	}
	// Containers go before what supervises them, which reaps them.
	return errors.Join(proc.Kill(inside), sandbox.KillContainers(*s.Machine), c.killUnnamed(s))
}

// killUnnamed kills what carries the cluster's marker and is no component: the
// supervisors of containers, which do not end by themselves.
func (c *Cluster) killUnnamed(s *state.State) error {
	ids, err := proc.Find(s.Marker, commandLines(s))
	if err != nil {
		return err
	}
	return proc.Kill(slices.DeleteFunc(ids, func(id proc.ID) bool {
		return slices.ContainsFunc(s.Components, func(component state.Component) bool { return component.Process == id })
	}))
}

// releaseMachine gives back what a real node has taken of the machine. All of
// its processes have ended.
func (c *Cluster) releaseMachine(s *state.State) error {
	if s.Machine == nil {
		return nil
	}
	if err := sandbox.Release(*s.Machine); err != nil {
		return err
	}
	s.Machine = nil
	return s.Save(c.dir)
}

// commandLines are the command lines of a cluster's components.
func commandLines(s *state.State) []string {
	var lines []string
	for _, component := range s.Components {
		lines = append(lines, strings.Join(append([]string{component.Path}, component.Args...), " "))
	}
	return lines
}

// stopOrphans ends processes of a cluster whose directory was deleted while it
// was up, and removes what its node has left.
func (c *Cluster) stopOrphans() (existed bool, err error) {
	prefix := state.MarkerPrefix(c.dir)
	machines, err := sandbox.Orphans(prefix)
	if err != nil {
		return false, err
	}
	ids, err := proc.Find(prefix, nil)
	if err != nil || len(ids)+len(machines) == 0 {
		return false, err
	}
	c.progress.Printf("ending %d processes of a cluster whose directory %s was deleted", len(ids), c.dir)
	grace := stopGrace
	if len(machines) > 0 {
		grace = 0 // A kubelet would start again what ends.
	}
	err = proc.Stop(ids, grace)
	for _, machine := range machines {
		err = errors.Join(err, sandbox.KillContainers(machine), sandbox.Release(machine))
	}
	return true, err
}
