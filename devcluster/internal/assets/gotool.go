package assets

import (
	"context"
	"encoding/json"
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
	// flags is the user's GOFLAGS without what is decided here.
	flags string
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
	settings, err := readGoEnv(ctx, path, dir, "GOVERSION", "GOOS", "GOARCH", "GOAMD64", "GOARM64", "GOEXPERIMENT")
	if err != nil {
		return goTool{}, err
	}
	flags, err := readGoEnv(ctx, path, dir, "GOFLAGS")
	if err != nil {
		return goTool{}, err
	}
	flags = ownFlags(flags)
	return goTool{path: path, flags: flags, fingerprint: settings + flags}, nil
}

// readGoEnv returns values of go env. They also come from a file of the user's.
func readGoEnv(ctx context.Context, path, dir string, names ...string) (string, error) {
	cmd := exec.CommandContext(ctx, path, append([]string{"env"}, names...)...)
	cmd.Dir, cmd.Env = dir, buildEnv(nil)
	out, err := cmd.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			err = fmt.Errorf("%w: %s", err, strings.TrimSpace(string(exit.Stderr)))
		}
		return "", fmt.Errorf("ask %s for its settings: %w", path, err)
	}
	return string(out), nil
}

// ownFlags returns GOFLAGS without those that say how modules are found, what
// is left out and what is stamped: they are meant for the user's module, and
// the builds here set them. The result is never empty, which go would take for unset.
func ownFlags(goflags string) string {
	flags := []string{"-trimpath"}
	for _, flag := range strings.Fields(goflags) {
		name, _, _ := strings.Cut(strings.TrimLeft(flag, "-"), "=")
		if !slices.Contains([]string{"mod", "modfile", "tags", "buildvcs", "trimpath"}, name) {
			flags = append(flags, flag)
		}
	}
	return strings.Join(flags, " ")
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
	return slices.Concat(os.Environ(), hostPlatform(), []string{"CGO_ENABLED=0", "GOWORK=off"}, more)
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
	cmd.Dir, cmd.Env = dir, buildEnv(append(env, "GOFLAGS="+g.flags))
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

// downloadModule brings a module into Go's cache and returns where it lies there.
func (g goTool) downloadModule(ctx context.Context, w work, module string) (string, error) {
	cmd := exec.CommandContext(ctx, g.path, "mod", "download", "-json", module)
	cmd.Dir, cmd.Env = w.dir("src"), buildEnv([]string{"GOFLAGS=" + g.flags})
	out, err := cmd.Output()
	var answer struct{ Dir, Error string }
	if jsonErr := json.Unmarshal(out, &answer); err != nil || jsonErr != nil {
		return "", fmt.Errorf("download %s: %w: %s", module, errors.Join(err, jsonErr), answer.Error)
	}
	return answer.Dir, nil
}
