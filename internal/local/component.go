package local

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
)

// Kill ends a component of the devcluster as a crash would. It stays down until
// Restart.
func (c *Cluster) Kill(ctx context.Context, component string) error {
	pid, err := c.Pid(ctx, component)
	if err != nil {
		return err
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		return fmt.Errorf("kill %s, process %d: %w", component, pid, err)
	}
	return nil
}

// Pid returns the process id of a component of the devcluster.
func (c *Cluster) Pid(ctx context.Context, component string) (int, error) {
	if c.dir == "" {
		return 0, fmt.Errorf("the process of %s: the cluster of %s is none of devcluster's", component, c.Kubeconfig)
	}
	// An unhealthy component changes the exit code; the table is printed anyway.
	out, err := exec.CommandContext(ctx, c.tools.Devcluster, "status", "--dir", c.dir).Output()
	if _, unwell := errors.AsType[*exec.ExitError](err); err != nil && !unwell {
		return 0, fmt.Errorf("devcluster status: %w", err)
	}
	return parsePid(string(out), component)
}

// parsePid returns the process id of a component from the output of devcluster
// status.
func parsePid(table, component string) (int, error) {
	for line := range strings.Lines(table) {
		if fields := strings.Fields(line); len(fields) > 1 && fields[0] == component {
			pid, err := strconv.Atoi(fields[1])
			if err != nil {
				return 0, fmt.Errorf("%s does not run: %s", component, strings.TrimSpace(line))
			}
			return pid, nil
		}
	}
	return 0, fmt.Errorf("there is no component %s in\n%s", component, table)
}
