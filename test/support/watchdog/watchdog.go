// Package watchdog leaves nothing of a test run behind, however it ends.
//
// All that a run starts has the folder of the run as TMPDIR. A process of its own waits
// for the end of the test program: a pipe that only the program holds is closed then,
// after a panic or SIGKILL too. It stops the cluster in the folder, kills every process
// with that TMPDIR, and removes the folder. What is left when that process was killed as
// well is removed by the next run.
//
// It must not know what the tests start.
package watchdog

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

const (
	// prefix begins the names of the folders.
	prefix = "gati-test-"
	// lockName is the file that the program of a run holds locked.
	lockName = "lock"
	// Cluster is the folder of a run's devcluster, within that of the run.
	Cluster = "cluster"
)

// sweep removes a run: $1 is its folder, $2 the folder of a devcluster in it, $3 the
// program devcluster. A cluster that cannot be stopped stays, for it may have mounts.
const sweep = `
if [ -e "$2/state.json" ]; then
  [ -x "$3" ] || exit 0
  "$3" down --dir "$2" >&2 || exit 1
fi
for i in 1 2 3 4 5; do
  for e in $(grep -lzx "TMPDIR=$1" /proc/[0-9]*/environ 2>/dev/null); do
    p=${e#/proc/}; kill -9 "${p%/environ}" 2>/dev/null
  done
  rm -rf "$1" 2>/dev/null && break
  sleep 1
done
exit 0
`

// Run calls a function with a folder that is also TMPDIR, and returns its result once
// nothing of it is left. devcluster is the program that stops clusters, or empty.
func Run(devcluster string, tests func(folder string) int) int {
	folder, end, err := start(devcluster)
	if err != nil {
		fmt.Fprintln(os.Stderr, "FAIL:", err)
		return 1
	}
	code := tests(folder)
	if err := end(); err != nil {
		fmt.Fprintln(os.Stderr, "FAIL: remove what the tests started:", err)
		return 1
	}
	return code
}

func start(devcluster string) (folder string, end func() error, err error) {
	base := os.TempDir()
	if err := removeStale(base, devcluster); err != nil {
		return "", nil, err
	}
	if folder, err = os.MkdirTemp(base, prefix); err != nil {
		return "", nil, err
	}
	lock, err := lockNew(folder)
	if err != nil {
		return "", nil, err
	}
	held, err := watch(folder, devcluster)
	if err != nil {
		return "", nil, err
	}
	return folder, func() error { return errors.Join(held.Close(), lock.Close(), os.Setenv("TMPDIR", base)) }, os.Setenv("TMPDIR", folder)
}

// watch starts the process that sweeps once the returned pipe is closed.
func watch(folder, devcluster string) (io.Closer, error) {
	cmd := exec.Command("sh", append([]string{"-c", "cat > /dev/null\n" + sweep}, arguments(folder, devcluster)...)...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	pipe, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the watchdog: %w", err)
	}
	return &leash{pipe, cmd}, nil
}

// leash ends the watchdog, which then sweeps, and waits for it.
type leash struct {
	pipe io.Closer
	cmd  *exec.Cmd
}

func (l *leash) Close() error { return errors.Join(l.pipe.Close(), l.cmd.Wait()) }

func arguments(folder, devcluster string) []string {
	return []string{"watchdog", folder, filepath.Join(folder, Cluster), devcluster}
}

// lockNew locks a folder. The lock file appears locked, so that no other run takes the
// folder for one that was left.
func lockNew(folder string) (*os.File, error) {
	path := filepath.Join(folder, lockName)
	lock, err := os.OpenFile(path+".new", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		return nil, errors.Join(err, lock.Close())
	}
	return lock, os.Rename(path+".new", path)
}

// removeStale removes the folders of runs whose program is gone, and what runs of them.
func removeStale(base, devcluster string) error {
	locks, err := filepath.Glob(filepath.Join(base, prefix+"*", lockName))
	if err != nil {
		return err
	}
	for _, path := range locks {
		lock, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			continue // It has just gone.
		}
		if syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil {
			err = exec.Command("sh", append([]string{"-c", sweep}, arguments(filepath.Dir(path), devcluster)...)...).Run()
		}
		if err := errors.Join(err, lock.Close()); err != nil {
			return fmt.Errorf("remove %s: %w", filepath.Dir(path), err)
		}
	}
	return nil
}
