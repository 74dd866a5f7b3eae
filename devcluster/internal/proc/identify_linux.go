package proc

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Identify returns the ID of a running process.
func Identify(pid int) (ID, bool) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return ID{}, false
	}
	state, start, ok := parseStat(string(stat))
	if !ok || state == "Z" || state == "X" {
		return ID{}, false
	}
	return ID{PID: pid, Start: start}, true
}

// parseStat reads the state and the start time, fields 3 and 22. The command
// name, field 2, may hold spaces and parentheses, so counting starts behind
// its last parenthesis.
func parseStat(stat string) (state, start string, ok bool) {
	behind := strings.LastIndexByte(stat, ')')
	if behind < 0 {
		return "", "", false
	}
	fields := strings.Fields(stat[behind+1:])
	if len(fields) < 20 {
		return "", "", false
	}
	return fields[0], fields[19], true
}

// Find returns the processes whose marker begins with the given one. The
// commands are not needed on Linux, where the environment of one's own
// processes can be read.
func Find(marker string, _ []string) ([]ID, error) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil, fmt.Errorf("look for processes of this cluster: %w", err)
	}
	want := []byte(MarkerVar + "=" + marker)
	var ids []ID
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil || !hasVariable(pid, want) {
			continue
		}
		if id, ok := Identify(pid); ok {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

// hasVariable reports whether a process has a variable in its environment that begins
// so. An unreadable environment belongs to a process of another user.
func hasVariable(pid int, variable []byte) bool {
	for _, entry := range bytes.Split(readEnviron(pid), []byte{0}) {
		if bytes.HasPrefix(entry, variable) {
			return true
		}
	}
	return false
}

// execLimit bounds how long an empty environment is taken for that of a process in
// the middle of execve: the kernel has dropped the old memory by then and not yet
// filled the new one, which takes it microseconds.
const execLimit = 100 * time.Millisecond

// readEnviron reads the environment of a process, and none of a kernel thread, which
// has no executable either.
func readEnviron(pid int) []byte {
	for deadline := time.Now().Add(execLimit); ; time.Sleep(time.Millisecond) {
		environ, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
		if err != nil || len(environ) > 0 || time.Now().After(deadline) {
			return environ
		}
		if _, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid)); err != nil {
			return nil
		}
	}
}

// DieWithParent returns the attributes of a child that must not outlive the
// thread that starts it: a build whose launcher was killed has no reader.
func DieWithParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM}
}
