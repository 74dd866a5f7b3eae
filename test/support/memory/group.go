// Package memory limits what programs of a test may hold, as the kubelet does.
//
// It must not know the programs.
package memory

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"gati.dev/gati/test/support/await"
)

// hierarchies are where control groups of memory can be made, and the files that limit them.
var hierarchies = []struct{ root, limit string }{
	{"/sys/fs/cgroup/memory", "memory.limit_in_bytes"},
	{"/sys/fs/cgroup", "memory.max"},
}

// Group is a control group with a limit of memory.
type Group struct{ folder string }

// NewGroup returns a group that is removed with the test, whose programs must have ended by
// then. It is nil where this user may not make one.
func NewGroup(t testing.TB, limit int64) *Group {
	t.Helper()
	for _, h := range hierarchies {
		folder := filepath.Join(h.root, fmt.Sprintf("gati-test-%d-%d", os.Getpid(), limit))
		if os.Mkdir(folder, 0o755) != nil {
			continue
		}
		if os.WriteFile(filepath.Join(folder, h.limit), []byte(strconv.FormatInt(limit, 10)), 0) != nil {
			_ = os.Remove(folder)
			continue
		}
		t.Cleanup(func() {
			await.Eventually(t, "no program in the control group", func() error { return os.Remove(folder) })
		})
		return &Group{folder: folder}
	}
	t.Logf("no control group can be made: the kernel holds no limit of %d MiB", limit>>20)
	return nil
}

// Command returns a command that runs in the group from its first page on.
func (g *Group) Command(name string, args ...string) *exec.Cmd {
	if g == nil {
		return exec.Command(name, args...)
	}
	script := `echo $$ > "$0" && exec "$@"`
	return exec.Command("/bin/sh", append([]string{"-c", script, filepath.Join(g.folder, "cgroup.procs"), name}, args...)...)
}
