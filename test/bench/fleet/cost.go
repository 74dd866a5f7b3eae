package fleet

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// ticks is Linux's USER_HZ: clock ticks a second in /proc, the same on every
// architecture that Go supports.
const ticks = 100

// cpuOf returns the CPU time that a process has used, 0 for none.
func cpuOf(pid int) (time.Duration, error) {
	if pid == 0 {
		return 0, nil
	}
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	// The name of the program, in parentheses, may have spaces.
	fields := strings.Fields(string(raw[strings.LastIndexByte(string(raw), ')')+1:]))
	const utime, stime = 11, 12
	user, err := strconv.Atoi(fields[utime])
	if err != nil {
		return 0, err
	}
	system, err := strconv.Atoi(fields[stime])
	return time.Duration(user+system) * time.Second / ticks, err
}

// memoryOf returns the resident memory of a process in bytes, 0 for none.
func memoryOf(pid int) (int, error) {
	if pid == 0 {
		return 0, nil
	}
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(raw)) {
		if rest, found := strings.CutPrefix(line, "VmRSS:"); found {
			kib, err := strconv.Atoi(strings.Fields(rest)[0])
			return kib << 10, err
		}
	}
	return 0, fmt.Errorf("/proc/%d/status has no VmRSS", pid)
}

// usage is what the processes have used so far.
type usage struct{ server, etcd, own time.Duration }

func (u usage) since(before usage) usage {
	return usage{server: u.server - before.server, etcd: u.etcd - before.etcd, own: u.own - before.own}
}
