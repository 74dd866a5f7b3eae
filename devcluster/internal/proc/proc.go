// Package proc starts processes that outlive the launcher, finds them again later, and
// stops exactly them.
//
// A pid alone is not enough: the kernel reuses it once its process is gone. So a
// process is known by its pid together with its start time, and every process
// carries its cluster's marker in its environment, which also finds one whose
// launcher was killed before it could note the pid.
//
// It must not know what the processes are.
package proc

import (
	"os"
	"time"
)

// MarkerVar is the environment variable that carries a cluster's marker.
const MarkerVar = "GATI_DEVCLUSTER"

// ID names one process for all time.
type ID struct {
	PID int `json:"pid"`
	// Start is when the process started, in the operating system's own form:
	// to be compared, never to be read.
	Start string `json:"start"`
}

// Self returns the ID of the calling process.
func Self() ID {
	id, _ := Identify(os.Getpid())
	return id
}

// Alive reports whether the process still runs. A process that has ended and was
// not reaped does not run.
func (id ID) Alive() bool {
	if id.PID <= 0 || id.Start == "" {
		return false
	}
	now, ok := Identify(id.PID)
	return ok && now == id
}

// sendSignal sends to the process if it is still the one that is meant.
func (id ID) sendSignal(sig os.Signal) {
	// On Linux the handle is a pidfd, taken before the identity is checked: a
	// pid that is recycled after the check cannot be hit.
	handle, err := os.FindProcess(id.PID)
	if err != nil {
		return
	}
	defer handle.Release()
	if id.Alive() {
		_ = handle.Signal(sig) // It may have ended just now, which is as good.
	}
}

// pollInterval is how often a process that was told to end is looked at.
const pollInterval = 20 * time.Millisecond

// waitGone waits until none of the processes runs and returns those that do
// when the time is up.
func waitGone(ids []ID, limit time.Duration) []ID {
	deadline := time.Now().Add(limit)
	for {
		ids = filterAlive(ids)
		if len(ids) == 0 || time.Now().After(deadline) {
			return ids
		}
		time.Sleep(pollInterval)
	}
}

func filterAlive(ids []ID) []ID {
	var rest []ID
	for _, id := range ids {
		if id.Alive() {
			rest = append(rest, id)
		}
	}
	return rest
}
