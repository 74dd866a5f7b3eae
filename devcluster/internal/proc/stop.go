package proc

import (
	"fmt"
	"syscall"
	"time"
)

// killLimit is how long a process may take to vanish after SIGKILL. Only the
// kernel can delay that, for instance while a disk does not answer.
const killLimit = 10 * time.Second

// Stop ends the processes: SIGTERM, then, for those that still run after the
// grace time, SIGKILL. It returns when none is left.
func Stop(ids []ID, grace time.Duration) error {
	for _, id := range ids {
		id.sendSignal(syscall.SIGTERM)
	}
	return Kill(waitGone(ids, grace))
}

// Kill ends the processes with SIGKILL and returns when none is left.
func Kill(ids []ID) error {
	for _, id := range ids {
		id.sendSignal(syscall.SIGKILL)
	}
	if rest := waitGone(ids, killLimit); len(rest) > 0 {
		return fmt.Errorf("process %d still runs %s after SIGKILL; look at it with ps, then run devcluster down again", rest[0].PID, killLimit)
	}
	return nil
}
