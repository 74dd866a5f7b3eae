//go:build !linux

package proc

import (
	"fmt"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// Identify returns the ID of a running process.
func Identify(pid int) (ID, bool) {
	out, err := exec.Command("ps", "-o", "state=,lstart=", "-p", strconv.Itoa(pid)).Output()
	if err != nil {
		return ID{}, false
	}
	state, start, ok := strings.Cut(strings.TrimSpace(string(out)), " ")
	if !ok || strings.HasPrefix(state, "Z") {
		return ID{}, false
	}
	return ID{PID: pid, Start: strings.TrimSpace(start)}, true
}

// Find returns the processes that run one of the commands, given as the
// executable and its arguments joined by spaces. The commands of a cluster
// name its directory and its ports, so those of other programs differ. The
// environment, and so the marker, cannot be read everywhere.
func Find(_ string, commands []string) ([]ID, error) {
	out, err := exec.Command("ps", "-axww", "-o", "pid=,command=").Output()
	if err != nil {
		return nil, fmt.Errorf("look for processes of this cluster with ps: %w", err)
	}
	var ids []ID
	for _, line := range strings.Split(string(out), "\n") {
		number, command, _ := strings.Cut(strings.TrimSpace(line), " ")
		pid, err := strconv.Atoi(number)
		if err != nil || !slices.Contains(commands, strings.TrimSpace(command)) {
			continue
		}
		if id, ok := Identify(pid); ok {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

// DieWithParent has nothing to offer here; a build whose launcher was killed
// runs to its end.
func DieWithParent() *syscall.SysProcAttr { return &syscall.SysProcAttr{} }
