package observed

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"gati.dev/gati/pkg/cli/ask"
	"gati.dev/gati/test/support/await"
	"gati.dev/gati/test/support/repository"
)

var fence = regexp.MustCompile("(?ms)^```(\\w+)\n(.*?)^```$")

// block is a fenced block of a page.
type block struct{ kind, text string }

// readBlocks returns those of a page of docs.
func readBlocks(t *testing.T, page string) (out []block) {
	t.Helper()
	text, err := os.ReadFile(repository.Path("docs", page))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range fence.FindAllStringSubmatch(string(text), -1) {
		out = append(out, block{m[1], m[2]})
	}
	if len(out) == 0 {
		t.Fatalf("docs/%s has no block", page)
	}
	return out
}

// readCommands returns the lines of the blocks of a page that a shell executes.
func readCommands(t *testing.T, page string) (out []string) {
	t.Helper()
	for _, b := range readBlocks(t, page) {
		if b.kind == "sh" {
			out = append(out, slices.Collect(strings.Lines(b.text))...)
		}
	}
	return out
}

// findings are exit codes of commands that found something: an unhealthy handler, a
// paused one.
var findings = []int{3, 4}

// runCommand runs a command of a page as a reader would, at the top of the repository.
func runCommand(t *testing.T, command string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), await.Patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "-euo", "pipefail", "-c", command)
	cmd.Dir, cmd.WaitDelay = repository.Path(), time.Second // for what bash has started
	programs := t.TempDir()
	for name, path := range map[string]string{"kubectl": env.Cluster.Kubectl, "kubectl-gati": env.Cluster.Tools().Plugin} {
		absolute, err := filepath.Abs(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(absolute, filepath.Join(programs, name)); err != nil {
			t.Fatal(err)
		}
	}
	cmd.Env = append(os.Environ(), "KUBECONFIG="+env.Cluster.Kubeconfig, "PATH="+programs+":"+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	t.Logf("$ %s\n%s", strings.TrimSpace(command), out)
	if err != nil && strings.Contains(string(out), ask.ErrNoTerminal.Error()) { // A reader is asked; a test is not, and says so.
		return runCommand(t, strings.TrimSpace(command)+" --yes")
	}
	failed, exited := errors.AsType[*exec.ExitError](err)
	looks := strings.HasPrefix(command, "kubectl gati status ") || strings.HasPrefix(command, "kubectl gati doctor") || strings.HasPrefix(command, "kubectl gati explain ")
	if err != nil && (!exited || !looks || !slices.Contains(findings, failed.ExitCode())) {
		t.Errorf("%s: %v\n%s", command, err, out)
	}
	return string(out)
}
