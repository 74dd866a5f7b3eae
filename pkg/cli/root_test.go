package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gati.dev/gati/internal/testing/clitest"
	"gati.dev/gati/internal/testing/golden"
	"gati.dev/gati/pkg/cli/exit"
)

type cmdTestCase struct {
	args       []string
	wantStderr string
	wantCode   int
}

func TestRootGolden(t *testing.T) {
	t.Setenv("HOME", "/home/dev") // help names the cache directory below it
	t.Setenv("KUBECACHEDIR", "")
	cases := map[string]cmdTestCase{
		"help":         {args: []string{"--help"}},
		"help-status":  {args: []string{"status", "--help"}},
		"help-expand":  {args: []string{"expand", "--help"}},
		"help-version": {args: []string{"version", "--help"}},
		"help-rollout": {args: []string{"rollout", "--help"}},
		"help-promote": {args: []string{"rollout", "promote", "--help"}},
		"help-traffic": {args: []string{"version", "set-traffic", "--help"}},
		"nothing":      {},
		"complete":     {args: []string{"__complete", ""}, wantStderr: "Completion ended with directive: ShellCompDirectiveNoFileComp\n"},
		"complete-output": {
			args:       []string{"__complete", "status", "-o", ""},
			wantStderr: "Completion ended with directive: ShellCompDirectiveNoFileComp\n",
		},
		"unknown": {
			args:       []string{"frobnicate"},
			wantStderr: "error: unknown command \"frobnicate\"; see kubectl gati --help\n", wantCode: exit.Usage,
		},
		"misspelt": {
			args:       []string{"statsu"},
			wantStderr: "error: unknown command \"statsu\"; did you mean kubectl gati status or kubectl gati rollout status?\n", wantCode: exit.Usage,
		},
		"unknown-flag": {
			args:       []string{"status", "--frobnicate"},
			wantStderr: "error: unknown flag: --frobnicate; see kubectl gati status --help\n", wantCode: exit.Usage,
		},
		"too-many": {
			args:       []string{"rollout", "a", "b"},
			wantStderr: "error: want \"kubectl gati rollout NAME\", got \"a b\"; see kubectl gati rollout --help\n", wantCode: exit.Usage,
		},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			got := clitest.Run(t.Context(), "", tc.args...)
			golden.Compare(t, name+".txt", got.Stdout)
			if diff := cmp.Diff(tc.wantStderr, got.Stderr); diff != "" {
				t.Errorf("stderr (-want,+got):\n%s", diff)
			}
			if got.Code != tc.wantCode {
				t.Errorf("exit code %d, want %d", got.Code, tc.wantCode)
			}
		})
	}
}

// TestVersion holds that the version is one line.
func TestVersion(t *testing.T) {
	got := clitest.Run(t.Context(), "", "--version")
	if !strings.HasPrefix(got.Stdout, "kubectl-gati ") || strings.Count(got.Stdout, "\n") != 1 {
		t.Errorf("--version %q", got.Stdout)
	}
}

// TestKubeconfig holds that a kubeconfig that cannot be used gives one line.
func TestKubeconfig(t *testing.T) {
	broken := filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(broken, []byte("clusters: 7"), 0o600); err != nil {
		t.Fatal(err)
	}
	cases := map[string][]string{
		"broken":          {"--kubeconfig", broken},
		"absent":          {"--kubeconfig", broken + "-absent"},
		"unknown context": {"--kubeconfig", os.DevNull, "--context", "nowhere"},
	}
	for name, args := range cases {
		t.Run(name, func(t *testing.T) {
			got := clitest.Run(t.Context(), "", append([]string{"status"}, args...)...)
			if got.Code != exit.Error || got.Stdout != "" {
				t.Errorf("got %+v", got)
			}
			if !strings.HasPrefix(got.Stderr, "error: ") || strings.Count(got.Stderr, "\n") != 1 {
				t.Errorf("stderr %q", got.Stderr)
			}
			t.Log(got.Stderr)
		})
	}
}
