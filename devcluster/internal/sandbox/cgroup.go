package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// killLimit is how long containers may take to vanish after SIGKILL, and their
// groups after that.
const killLimit = 15 * time.Second

// weights is how much of the processors all pods together get when others want
// them too: as much as ten processes. By default it is as much as one, so the pods
// of a busy machine would starve beside the API server that waits for them.
var weights = map[string]string{"cpu.shares": "10240", "cpu.weight": "1000"}

// MakeCgroups makes the group in every hierarchy that the machine has. A kubelet
// does not start below a group that does not exist.
func MakeCgroups(name string) error {
	mounts, err := cgroupMounts()
	if err != nil {
		return err
	}
	for _, mount := range mounts {
		if err := os.Mkdir(filepath.Join(mount, name), 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
			return fmt.Errorf("make the control group of the node: %w", err)
		}
		if err := writeWeight(filepath.Join(mount, name)); err != nil {
			return fmt.Errorf("give the control group of the node its weight: %w", err)
		}
	}
	return nil
}

// writeWeight writes the weight in the terms that the hierarchy has, if it has any.
func writeWeight(group string) error {
	for file, weight := range weights {
		path := filepath.Join(group, file)
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err := os.WriteFile(path, []byte(weight), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// cgroupMounts returns where hierarchies are mounted: one with version 2, one
// for each controller with version 1, and both on a machine between the two.
func cgroupMounts() ([]string, error) {
	mounts, err := os.ReadFile("/proc/self/mounts")
	if err != nil {
		return nil, err
	}
	return parseCgroupMounts(string(mounts)), nil
}

func parseCgroupMounts(mounts string) []string {
	var found []string
	for _, line := range strings.Split(mounts, "\n") {
		fields := strings.Fields(line)
		if len(fields) > 2 && (fields[2] == "cgroup" || fields[2] == "cgroup2") {
			found = append(found, fields[1])
		}
	}
	return found
}

// killCgroup kills every process below the group until there is none: one that
// is killed may just have made another.
func killCgroup(name string) error {
	mounts, err := cgroupMounts()
	if err != nil {
		return err
	}
	deadline := time.Now().Add(killLimit)
	for {
		pids := listMembers(mounts, name)
		if len(pids) == 0 {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("process %d in control group %s still runs %s after SIGKILL; look at it with ps, then run devcluster down again", pids[0], name, killLimit)
		}
		for _, pid := range pids {
			_ = syscall.Kill(pid, syscall.SIGKILL) // It may have ended just now, which is as good.
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// listMembers lists the living processes below the group. What has ended and was
// not reaped stays listed, but a group with nothing else can be removed.
func listMembers(mounts []string, name string) []int {
	var pids []int
	for _, dir := range listGroups(mounts, name) {
		list, err := os.ReadFile(filepath.Join(dir, "cgroup.procs"))
		if err != nil {
			continue // The group has gone meanwhile.
		}
		for _, field := range strings.Fields(string(list)) {
			if pid, err := strconv.Atoi(field); err == nil && pid > 0 && !hasEnded(pid) {
				pids = append(pids, pid)
			}
		}
	}
	return pids
}

// hasEnded reports whether a process is gone or only waits to be reaped.
func hasEnded(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return true
	}
	_, behind, _ := strings.Cut(string(stat[strings.LastIndexByte(string(stat), ')')+1:]), " ")
	return strings.HasPrefix(behind, "Z") || strings.HasPrefix(behind, "X")
}

// listGroups lists the group and all below it in every hierarchy, the deepest first.
func listGroups(mounts []string, name string) []string {
	var found []string
	for _, mount := range mounts {
		_ = filepath.WalkDir(filepath.Join(mount, name), func(path string, entry fs.DirEntry, err error) error {
			if err == nil && entry.IsDir() {
				found = append(found, path)
			}
			return nil // What has gone meanwhile need not be removed.
		})
	}
	slices.Reverse(found)
	return found
}

// removeCgroup removes the group from every hierarchy. The kernel may take a
// moment to let go of one whose last process has just ended.
func removeCgroup(name string) error {
	mounts, err := cgroupMounts()
	if err != nil {
		return err
	}
	deadline := time.Now().Add(killLimit)
	for {
		var failed error
		for _, dir := range listGroups(mounts, name) {
			if err := os.Remove(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
				failed = err
			}
		}
		if failed == nil {
			return nil
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("remove the control group of the node: %w", failed)
		}
		time.Sleep(20 * time.Millisecond)
	}
}
