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

// memoryOf returns the resident memory of a process in bytes, and what of it is its own: the
// rest are pages of the program's file, which the kernel takes back when it needs them. Both
// are 0 for no process.
func memoryOf(pid int) (resident, own int, err error) {
	if pid == 0 {
		return 0, 0, nil
	}
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, 0, err
	}
	found := map[string]int{}
	for line := range strings.Lines(string(raw)) {
		key, rest, _ := strings.Cut(line, ":")
		if kib, isKiB := strings.CutSuffix(strings.TrimSpace(rest), " kB"); isKiB {
			if found[key], err = strconv.Atoi(strings.TrimSpace(kib)); err != nil {
				return 0, 0, err
			}
		}
	}
	for _, key := range []string{"VmRSS", "RssAnon"} {
		if found[key] == 0 {
			return 0, 0, fmt.Errorf("/proc/%d/status has no %s", pid, key)
		}
	}
	return found["VmRSS"] << 10, found["RssAnon"] << 10, nil
}

// usage is what the processes have used so far.
type usage struct{ server, etcd, own time.Duration }

func (u usage) usageSince(before usage) usage {
	return usage{server: u.server - before.server, etcd: u.etcd - before.etcd, own: u.own - before.own}
}
