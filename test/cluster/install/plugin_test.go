package install

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gati.dev/gati/pkg/cli/exit"
	"gati.dev/gati/test/support/await"
)

// shop is the namespace in which the plugin is used.
const shop = "shop"

// result has the plugin's output and exit code.
type result struct {
	stdout, stderr string
	code           int
}

// runGati runs the plugin in the namespace of the tests.
func runGati(t *testing.T, args ...string) result {
	t.Helper()
	var out, errOut bytes.Buffer
	ctx, cancel := context.WithTimeout(t.Context(), 2*await.Patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, env.Cluster.Tools().Plugin, append(args, "-n", shop)...)
	cmd.Env = append(os.Environ(), "KUBECONFIG="+env.Cluster.Kubeconfig, "PATH="+filepath.Dir(env.Cluster.Kubectl)+":"+os.Getenv("PATH"))
	cmd.Stdout, cmd.Stderr = &out, &errOut
	err := cmd.Run()
	if ended, ok := errors.AsType[*exec.ExitError](err); err != nil && (!ok || ended.ExitCode() < 0) {
		t.Fatalf("kubectl gati %s: %v\n%s", strings.Join(args, " "), err, &errOut)
	}
	return result{out.String(), errOut.String(), cmd.ProcessState.ExitCode()}
}

// mustRunGati is runGati for what has to succeed.
func mustRunGati(t *testing.T, args ...string) result {
	t.Helper()
	got := runGati(t, args...)
	if got.code != exit.OK {
		t.Fatalf("kubectl gati %s: exit code %d\n%s%s", strings.Join(args, " "), got.code, got.stdout, got.stderr)
	}
	return got
}

// finding is one of the doctor's.
type finding struct {
	Check, Level, Object, Message, Hint string
	Fix                                 []string
}

// listProblems returns what the doctor finds, and its exit code has to fit them.
func listProblems(t *testing.T, args ...string) ([]finding, error) {
	t.Helper()
	got := runGati(t, append([]string{"doctor", "-o", "json"}, args...)...)
	var report struct{ Findings []finding }
	if err := json.Unmarshal([]byte(got.stdout), &report); err != nil {
		return nil, fmt.Errorf("exit code %d: %s", got.code, got.stderr)
	}
	found := slices.DeleteFunc(report.Findings, func(f finding) bool { return f.Level != "problem" })
	if want := map[bool]int{true: exit.Unhealthy, false: exit.OK}[len(found) > 0]; got.code != want {
		t.Errorf("exit code %d with %d problems", got.code, len(found))
	}
	return found, nil
}

// awaitProblems waits until the doctor finds problems by exactly these checks, and returns
// them.
func awaitProblems(t *testing.T, checks []string, args ...string) []finding {
	t.Helper()
	var found []finding
	await.Eventually(t, "problems found by exactly "+strings.Join(checks, ", "), func() (err error) {
		if found, err = listProblems(t, args...); err != nil {
			return err
		}
		return checkFoundBy(found, checks)
	})
	return found
}

// checkFoundBy reports whether findings are exactly of these checks.
func checkFoundBy(found []finding, checks []string) error {
	var by []string
	for _, f := range found {
		by = append(by, f.Check)
	}
	slices.Sort(by)
	if !slices.Equal(slices.Compact(by), slices.Sorted(slices.Values(checks))) {
		return fmt.Errorf("%+v", found)
	}
	return nil
}
