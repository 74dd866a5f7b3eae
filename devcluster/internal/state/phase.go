package state

import (
	"fmt"
	"slices"
)

// Phase is where a cluster is in its life.
type Phase string

// The phases. A state file with Starting or Stopping and no launcher alive is
// what a killed run left.
const (
	// Starting: `up` is building, writing files or starting processes.
	Starting Phase = "starting"
	// Ready: `up` has seen every part healthy.
	Ready Phase = "ready"
	// Failed: `up` gave up and stopped what it had started. Logs remain.
	Failed Phase = "failed"
	// Stopping: everything is being removed.
	Stopping Phase = "stopping"
	// Stopped: all is gone but the logs, which the user asked to keep.
	Stopped Phase = "stopped"
)

// next lists where each phase may lead. Everything may be removed at any time.
var next = map[Phase][]Phase{
	Starting: {Ready, Failed, Stopping},
	Ready:    {Stopping},
	Failed:   {Stopping},
	Stopping: {Stopped, Stopping},
	Stopped:  {Stopping},
}

// Enter moves the cluster to a phase.
func (s *State) Enter(phase Phase) error {
	if !slices.Contains(next[s.Phase], phase) {
		return fmt.Errorf("a cluster that is %s cannot become %s", s.Phase, phase)
	}
	s.Phase = phase
	return nil
}
