package cli_test

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gati.dev/gati/internal/testing/clitest"
	"gati.dev/gati/internal/testing/statustest"
	"gati.dev/gati/pkg/cli/exit"
	"gati.dev/gati/pkg/status"
)

// The tests of this file are named for defects that plugins of this kind have had:
// docs/comparison.md lists them. Each does what showed the defect.

// on runs the plugin against a server of a scenario.
func on(t *testing.T, objs status.Objects, args ...string) clitest.Result {
	t.Helper()
	return clitest.Run(t.Context(), "", append(args, clitest.NewServer(t, objs).Connection()...)...)
}

// oneLine holds that a command ends with a code, and says why in one line.
func oneLine(t *testing.T, got clitest.Result, code int, says string) {
	t.Helper()
	if got.Code != code || !strings.HasPrefix(got.Stderr, "error: ") || strings.Count(got.Stderr, "\n") != 1 || !strings.Contains(got.Stderr, says) {
		t.Errorf("want exit code %d and one line that says %q, got %d and %q", code, says, got.Code, got.Stderr)
	}
}

// Paused and progressing ended with 0, as healthy does.
func TestDefectPausedAndProgressingLookHealthy(t *testing.T) {
	for code, objs := range map[int]status.Objects{
		exit.OK: statustest.Healthy(), exit.Unhealthy: statustest.Progressing(), exit.Paused: statustest.AwaitingPromotion(),
	} {
		if got := on(t, objs, "status", "users"); got.Code != code {
			t.Errorf("exit code %d, want %d:\n%s", got.Code, code, got.Stdout)
		}
	}
}

// A rollout that is paused was waited for for ever.
func TestDefectWaitsForeverAtAPause(t *testing.T) {
	if got := on(t, statustest.AwaitingPromotion(), "rollout", "status", "users"); got.Code != exit.Paused {
		t.Errorf("got %+v", got)
	}
	// Who waits for the pause is done with it.
	if got := on(t, statustest.AwaitingPromotion(), "status", "users", "--for=paused"); got.Code != exit.OK {
		t.Errorf("got %+v", got)
	}
}

// The first read had a time of its own beside --timeout: a server that takes connections
// and says nothing was waited for until the TLS handshake gave up.
func TestDefectTimeoutAgainstASilentServer(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = silent.Close() })
	asked := make(chan time.Time, 1)
	go func() {
		for {
			c, err := silent.Accept()
			if err != nil {
				return
			}
			t.Cleanup(func() { _ = c.Close() })
			select {
			case asked <- time.Now():
			default: // Only the first time of a command counts.
			}
		}
	}()
	to := []string{"--timeout", "300ms", "--kubeconfig", os.DevNull, "--server", "https://" + silent.Addr().String(), "--insecure-skip-tls-verify", "-n", "shop"}
	for _, args := range [][]string{
		{"status", "users", "--for=healthy"}, {"status", "users", "--watch"}, {"rollout", "status", "users"},
		{"rollout", "promote", "users"}, {"rollout", "abort", "-l", "a=b"}, {"version", "decommission", "users", "v1.0.0"},
		{"install"}, {"upgrade", "--dry-run"}, {"uninstall", "--dry-run"},
	} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			select {
			case <-asked: // a late connection of the command before
			default:
			}
			got := clitest.Run(t.Context(), "", append(slices.Clone(args), to...)...)
			// What a command does before it asks may take its whole time on a busy machine, as
			// the manifests of install do: then it ends without a question.
			select {
			case began := <-asked:
				if took := time.Since(began); took > 5*time.Second {
					t.Errorf("ended %s after it had asked", took)
				}
			default:
			}
			oneLine(t, got, exit.Timeout, "")
		})
	}
}

// Watching never ended, also when nothing was left to happen.
func TestDefectWatchNeverEnds(t *testing.T) {
	for code, objs := range map[int]status.Objects{exit.OK: statustest.Healthy(), exit.Unhealthy: statustest.RolloutFailed()} {
		if got := on(t, objs, "status", "users", "--watch"); got.Code != code {
			t.Errorf("exit code %d, want %d:\n%s", got.Code, code, got.Stdout)
		}
	}
}

// An object that stands still was painted again and again.
func TestDefectRepaintsWhatStandsStill(t *testing.T) {
	server := clitest.NewServer(t, statustest.Progressing())
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		// By then all lists were read, and one without the right to watch would be read again.
		// An event that comes before its watch is lost.
		for _, resource := range []string{status.ResourceHandlers, status.ResourceDeployments, status.ResourcePods} {
			for !server.Watched(resource) && ctx.Err() == nil {
				time.Sleep(10 * time.Millisecond)
			}
		}
		same := statustest.Progressing()
		for range 5 {
			server.Send(status.ResourceDeployments, "MODIFIED", &same.Deployments[0])
		}
		server.Send(status.ResourceHandlers, "DELETED", &same.Handlers[0]) // the end
	}()
	got := clitest.Run(ctx, "", append([]string{"status", "users", "--watch"}, server.Connection()...)...)
	if strings.Count(got.Stdout, "\n") != 1 || strings.Contains(got.Stdout, "\x1b") {
		t.Errorf("one line is enough:\n%q", got.Stdout)
	}
}

// A timeout ended with 1 in one command and with 0 in another.
func TestDefectTimeoutHasNoCodeOfItsOwn(t *testing.T) {
	for _, command := range []string{"status users --watch", "rollout users", "rollout status users", "status users --for=healthy"} {
		got := on(t, statustest.Progressing(), append(strings.Fields(command), "--timeout", "200ms")...)
		oneLine(t, got, exit.Timeout, "after 200ms")
	}
}

// Ctrl-C ended with 1 and a message about a timeout.
func TestDefectInterruptLooksLikeATimeout(t *testing.T) {
	server := clitest.NewServer(t, statustest.Progressing())
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for !server.Watched(status.ResourceHandlers) {
			time.Sleep(10 * time.Millisecond)
		}
		cancel()
	}()
	got := clitest.Run(ctx, "", append([]string{"rollout", "status", "users", "--timeout", "1h"}, server.Connection()...)...)
	if got.Code != exit.Interrupted || got.Stderr != "" {
		t.Errorf("got %+v", got)
	}
}

// Wrong usage ended with 1 as all else, below the list of all flags.
func TestDefectUsageErrorsPrintEveryFlag(t *testing.T) {
	oneLine(t, clitest.Run(t.Context(), "", "status", "--frobnicate"), exit.Usage, "unknown flag")
	oneLine(t, clitest.Run(t.Context(), "", "rollout", "history"), exit.Usage, "got nothing")
	oneLine(t, on(t, statustest.Healthy(), "status", "nobody"), exit.Error, "nobody")
}

// A broken kubeconfig, an unknown context or a duration that is none was a panic.
func TestDefectBadInputPanics(t *testing.T) {
	broken := filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(broken, []byte("clusters: 7"), 0o600); err != nil {
		t.Fatal(err)
	}
	oneLine(t, clitest.Run(t.Context(), "", "status", "--kubeconfig", broken), exit.Error, broken)
	oneLine(t, clitest.Run(t.Context(), "", "status", "--kubeconfig", os.DevNull, "--context", "nowhere"), exit.Error, "nowhere")
	oneLine(t, clitest.Run(t.Context(), "", "rollout", "status", "users", "--timeout", "5parsecs"), exit.Usage, "5parsecs")
	oneLine(t, clitest.Run(t.Context(), "", "rollout", "restart", "users", "--timeout", "5parsecs"), exit.Usage, "5parsecs")
}

// One list that was forbidden had the command hang, although all the rest was there.
func TestDefectHangsWhenOneListIsForbidden(t *testing.T) {
	for _, command := range []string{"status", "status users", "status users --watch", "explain users", "version list users"} {
		server := clitest.NewServer(t, statustest.Healthy())
		server.Forbidden = []string{status.ResourceAutoscalers}
		got := clitest.Run(t.Context(), "", append(strings.Fields(command), server.Connection()...)...)
		if got.Code != exit.OK || !strings.Contains(got.Stdout, "users") {
			t.Errorf("%s: got %+v", command, got)
		}
	}
	server := clitest.NewServer(t, statustest.Healthy())
	server.Forbidden = []string{status.ResourceAutoscalers}
	got := clitest.Run(t.Context(), "", append([]string{"status", "users"}, server.Connection()...)...)
	if want := "warning: " + status.ResourceAutoscalers + " could not be read: forbidden\n"; got.Stderr != want {
		t.Errorf("says %q, not what is missing", got.Stderr)
	}
}

// Without an API server the command hung.
func TestDefectHangsWithoutAServer(t *testing.T) {
	gone := clitest.NewServer(t, status.Objects{})
	gone.Die()
	for _, command := range []string{"status", "status users", "status users --watch", "explain users", "rollout users", "rollout promote users", "version list", "logs users"} {
		got := clitest.Run(t.Context(), "", append(strings.Fields(command), gone.Connection()...)...)
		oneLine(t, got, exit.Error, "cannot reach the server")
	}
	silent := clitest.NewServer(t, statustest.Healthy())
	silent.Dead = []string{status.ResourceHandlers}
	got := clitest.Run(t.Context(), "", append([]string{"status", "gh/users", "--request-timeout=300ms"}, silent.Connection()...)...)
	oneLine(t, got, exit.Timeout, "did not answer in time")
}

// A list that was slower than the others counted as empty, and what was in it as not
// found.
func TestDefectASlowListCountsAsEmpty(t *testing.T) {
	for _, resource := range []string{status.ResourceDeployments, status.ResourcePods, status.ResourceVersions, status.ResourceHandlers} {
		server := clitest.NewServer(t, statustest.Healthy())
		server.Last, server.LastAfter = resource, 4
		got := clitest.Run(t.Context(), "", append([]string{"status", "gh/users"}, server.Connection()...)...)
		if got.Code != exit.OK || got.Stdout != on(t, statustest.Healthy(), "status", "gh/users").Stdout {
			t.Errorf("with %s last: %+v", resource, got)
		}
	}
}

// Looking at one object listed everything in its namespace.
func TestDefectOneObjectListsTheNamespace(t *testing.T) {
	server := clitest.NewServer(t, statustest.Healthy())
	clitest.Run(t.Context(), "", append([]string{"status", "users", "--watch"}, server.Connection()...)...)
	for _, r := range server.Requests() {
		one := strings.Contains(r, "/users?") || strings.Contains(r, "fieldSelector=metadata.name%3Dusers")
		if !one && !strings.Contains(r, "labelSelector=gati.dev%2Fhandler%3Dusers") {
			t.Errorf("unselected: %s", r)
		}
	}
}
