package local

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// stopTimeout is how long a process may take to shut down.
const stopTimeout = 45 * time.Second

// IsWebhook reports whether a process is a gati-webhook. A recorded process id may
// belong to another program by now.
func IsWebhook(pid int) bool {
	target, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
	return err == nil && filepath.Base(trimDeleted(target)) == "gati-webhook"
}

// trimDeleted removes Linux's mark of a program that was rebuilt while it ran.
func trimDeleted(path string) string {
	const mark = " (deleted)"
	if len(path) > len(mark) && path[len(path)-len(mark):] == mark {
		return path[:len(path)-len(mark)]
	}
	return path
}

// StopProcess ends a process of an earlier run: by SIGTERM, and by SIGKILL after a
// timeout.
func StopProcess(pid int) error {
	if err := syscall.Kill(pid, syscall.SIGTERM); err != nil {
		return ignoreGone(err)
	}
	for deadline := time.Now().Add(stopTimeout); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		if err := syscall.Kill(pid, 0); err != nil {
			return ignoreGone(err)
		}
	}
	return ignoreGone(syscall.Kill(pid, syscall.SIGKILL))
}

func ignoreGone(err error) error {
	if errors.Is(err, syscall.ESRCH) {
		return nil
	}
	return err
}
