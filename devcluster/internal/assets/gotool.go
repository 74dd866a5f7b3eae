package assets

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"gati.dev/gati/devcluster/internal/logtail"
	"gati.dev/gati/devcluster/internal/proc"
)

// goTool is the go command.
type goTool struct {
	path string
	// fingerprint is everything about it that changes what it builds.
	fingerprint string
}

// stopLimit is how long a build may take to end when it is cancelled.
const stopLimit = 5 * time.Second

// findGo finds the go command and asks it what it would build with.
func findGo(ctx context.Context, dir string) (goTool, error) {
	path, err := lookGo()
	if err != nil {
		return goTool{}, err
	}
	cmd := exec.CommandContext(ctx, path, "env", "GOVERSION", "GOOS", "GOARCH", "GOAMD64", "GOARM64", "GOEXPERIMENT", "GOFLAGS")
	cmd.Dir, cmd.Env = dir, buildEnv(nil)
	out, err := cmd.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			err = fmt.Errorf("%w: %s", err, strings.TrimSpace(string(exit.Stderr)))
		}
		return goTool{}, fmt.Errorf("ask %s for its settings: %w", path, err)
	}
	return goTool{path: path, fingerprint: string(out)}, nil
}

func lookGo() (string, error) {
	if path, err := exec.LookPath("go"); err == nil {
		return path, nil
	}
	if root := os.Getenv("GOROOT"); root != "" {
		if path, err := exec.LookPath(filepath.Join(root, "bin", "go")); err == nil {
			return path, nil
		}
	}
	return "", errors.New("there is no go command in PATH or GOROOT, and the cluster's executables are built with it; install Go 1.26 or newer from https://go.dev/dl")
}

// buildEnv is the user's environment but for what would make the executables
// others than the key says.
func buildEnv(more []string) []string {
	return slices.Concat(os.Environ(), host(), []string{"CGO_ENABLED=0", "GOWORK=off"}, more)
}

// run runs the go command. Its output goes to the log, and its end to the
// error when it fails.
func (g goTool) run(ctx context.Context, w work, dir string, env []string, args ...string) error {
	log, err := os.Create(w.log)
	if err != nil {
		return fmt.Errorf("open the log of a build: %w", err)
	}
	defer log.Close()
	cmd := exec.CommandContext(ctx, g.path, args...)
	cmd.Dir, cmd.Env = dir, buildEnv(env)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = proc.DieWithParent()
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = stopLimit
	// The child dies with the thread that starts it, so that must live on.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return fmt.Errorf("go %s failed: %w\n%s", args[0], err, logtail.Describe(w.log))
	}
	return os.Remove(w.log)
}
