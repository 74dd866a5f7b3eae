package completion_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gati.dev/gati/internal/testing/clitest"
	"gati.dev/gati/pkg/cli/exit"
)

func TestInstall(t *testing.T) {
	dir := t.TempDir()
	link := filepath.Join(dir, "kubectl_complete-gati")
	for _, want := range []string{link + " -> kubectl-gati created", link + " already exists"} {
		got := clitest.Run(t.Context(), "", "completion", "install", "--dir", dir)
		if got.Code != exit.OK || !strings.HasPrefix(got.Stdout, want) {
			t.Errorf("got %+v, want %s", got, want)
		}
	}
	if target, err := os.Readlink(link); target != "kubectl-gati" {
		t.Errorf("the link leads to %q: %v", target, err)
	}
	for _, want := range []string{link + " removed", link + " does not exist"} {
		got := clitest.Run(t.Context(), "", "completion", "uninstall", "--dir", dir)
		if got.Code != exit.OK || !strings.HasPrefix(got.Stdout, want) {
			t.Errorf("got %+v, want %s", got, want)
		}
	}
}

// TestInstallBesideTheProgram holds that the folder is that of the program on the
// PATH.
func TestInstallBesideTheProgram(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "kubectl-gati"), nil, 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	if got := clitest.Run(t.Context(), "", "completion", "install"); got.Code != exit.OK {
		t.Fatalf("got %+v", got)
	}
	if _, err := os.Stat(filepath.Join(dir, "kubectl_complete-gati")); err != nil {
		t.Error(err)
	}
	t.Setenv("PATH", t.TempDir())
	got := clitest.Run(t.Context(), "", "completion", "install")
	if got.Code != exit.Error || !strings.Contains(got.Stderr, "kubectl-gati is not on the PATH") {
		t.Errorf("got %+v", got)
	}
}

func TestInstallLeavesAloneWhatIsNotOurs(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "kubectl_complete-gati")
	if err := os.WriteFile(path, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	got := clitest.Run(t.Context(), "", "completion", "install", "--dir", dir)
	if got.Code != exit.Error || !strings.Contains(got.Stderr, "is not a link to kubectl-gati") {
		t.Errorf("got %+v", got)
	}
	if content, err := os.ReadFile(path); err != nil || string(content) != "mine" {
		t.Errorf("it was changed: %q, %v", content, err)
	}
}

func TestScripts(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish", "powershell"} {
		if got := clitest.Run(t.Context(), "", "completion", shell); got.Code != exit.OK || !strings.Contains(got.Stdout, "kubectl-gati") {
			t.Errorf("%s: code %d, %d bytes", shell, got.Code, len(got.Stdout))
		}
	}
	if got := clitest.Run(t.Context(), "", "completion", "tcsh"); got.Code != exit.Usage {
		t.Errorf("tcsh: %+v", got)
	}
}
