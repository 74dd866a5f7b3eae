// Package sandbox keeps a real node apart from the machine it is on. The node
// lives in a network and a mount namespace of its own, which one process holds:
// its bridges, packet filter rules, routes and mounts are nowhere else, and are
// gone with the last process in there. What is left to remove by name are a
// network link and control groups, and those only if they are the cluster's.
//
// It must not know what runs on a node.
package sandbox

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// Holder is the program whose process holds the namespaces. Mounts of the
// machine reach the node, and none of the node's reach the machine.
func Holder() (path string, args []string) {
	return "unshare", []string{"--net", "--mount", "--propagation=slave", "sleep", "infinity"}
}

// holderLimit is how long the holder may take to make its namespaces.
const holderLimit = 10 * time.Second

// Await waits until the holder has its namespaces: then it has become the
// program that does nothing.
func Await(ctx context.Context, holder int) error {
	deadline := time.Now().Add(holderLimit)
	for {
		name, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", holder))
		switch {
		case err != nil:
			return fmt.Errorf("the process that holds the node's namespaces has ended: %w", err)
		case strings.TrimSpace(string(name)) == "sleep":
			return nil
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case time.Now().After(deadline):
			return fmt.Errorf("process %d has made no namespaces for the node after %s", holder, holderLimit)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// Enter returns what runs a program in the namespaces that a process holds. It
// becomes that program, so the process id stays.
func Enter(holder int, path string, args []string) (string, []string) {
	return "nsenter", append([]string{"--target=" + strconv.Itoa(holder), "--net", "--mount", "--", path}, args...)
}

// Command is one step of setting a node up.
type Command struct {
	// Inside is whether it runs in the node's namespaces.
	Inside bool
	Args   []string
}

// Run runs the steps until one fails.
func Run(ctx context.Context, holder int, commands []Command) error {
	for _, command := range commands {
		path, args := command.Args[0], command.Args[1:]
		if command.Inside {
			path, args = Enter(holder, path, args)
		}
		if _, err := Output(ctx, path, args...); err != nil {
			return fmt.Errorf("set up the node: %w", err)
		}
	}
	return nil
}

// Output runs a program and returns what it prints.
func Output(ctx context.Context, path string, args ...string) (string, error) {
	return OutputOf(ctx, nil, path, args...)
}

// OutputOf is Output of a program that reads something.
func OutputOf(ctx context.Context, stdin []byte, path string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Stdin = bytes.NewReader(stdin)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("%s %s: %w: %s", path, strings.Join(args, " "), err, strings.TrimSpace(stderr.String()))
	}
	return stdout.String(), nil
}
