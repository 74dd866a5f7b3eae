package krew

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// base is where the built manifests say that releases are; the tests serve them
// elsewhere.
const base = "https://releases.example"

func archiveName() string {
	return fmt.Sprintf("kubectl-gati_%s_%s.tar.gz", runtime.GOOS, runtime.GOARCH)
}

// built are both releases, for this machine's platform. They are built once.
var built = sync.OnceValues(func() (string, error) {
	dist, err := os.MkdirTemp("", "gati-krew-")
	if err != nil {
		return "", err
	}
	for _, version := range []string{older, newer} {
		cmd := exec.Command("../../../hack/package.sh", "-host", "-version", version, "-files", base, "-out", filepath.Join(dist, version))
		if out, err := cmd.CombinedOutput(); err != nil {
			return dist, fmt.Errorf("hack/package.sh: %w:\n%s", err, out)
		}
	}
	return dist, nil
})

func TestMain(m *testing.M) {
	code := m.Run()
	if dist, _ := built(); dist != "" {
		_ = os.RemoveAll(dist) // it is in the folder for what is temporary
	}
	os.Exit(code)
}

// machine is a person's: a folder for krew, an index, and a server of releases.
type machine struct {
	dist, root, index, url string
	// bin has kubectl, and krew by the name that kubectl runs it by.
	bin string
}

func newMachine(t *testing.T) *machine {
	t.Helper()
	dist, err := built()
	if err != nil {
		t.Fatal(err)
	}
	m := &machine{dist: dist, root: t.TempDir(), index: t.TempDir(), bin: t.TempDir()}
	for name, variable := range map[string]string{"kubectl": "GATI_KUBECTL", "kubectl-krew": "GATI_KREW"} {
		if err := os.Symlink(toolPath(t, variable), filepath.Join(m.bin, name)); err != nil {
			t.Fatal(err)
		}
	}
	server := httptest.NewServer(http.FileServer(http.Dir(dist)))
	t.Cleanup(server.Close)
	m.url = server.URL
	m.runGit(t, "init", "--quiet", "--initial-branch=master")
	return m
}

func (m *machine) releaseFolder(version string) string { return filepath.Join(m.dist, version) }

// publishRelease puts a release into the index.
func (m *machine) publishRelease(t *testing.T, version string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(m.releaseFolder(version), "krew.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	plugins := filepath.Join(m.index, "plugins")
	if err := os.MkdirAll(plugins, 0o755); err != nil {
		t.Fatal(err)
	}
	local := strings.ReplaceAll(string(text), base, m.url)
	if err := os.WriteFile(filepath.Join(plugins, "gati.yaml"), []byte(local), 0o600); err != nil {
		t.Fatal(err)
	}
	m.runGit(t, "add", "--all")
	m.runGit(t, "-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "--quiet", "-m", version)
}

func (m *machine) runGit(t *testing.T, args ...string) {
	t.Helper()
	mustRun(t, m.userEnvironment(), "git", append([]string{"-C", m.index}, args...)...)
}

// userEnvironment is that of the person: kubectl and what krew installs on the PATH,
// and nothing of the user who runs the test.
func (m *machine) userEnvironment() []string {
	path := []string{filepath.Join(m.root, "bin"), m.bin, os.Getenv("PATH")}
	return []string{
		"PATH=" + strings.Join(path, string(os.PathListSeparator)),
		"HOME=" + m.root, "KUBECONFIG=" + os.DevNull, "GIT_CONFIG_NOSYSTEM=1",
		"KREW_ROOT=" + m.root, "KREW_DEFAULT_INDEX_URI=" + m.index, "KREW_NO_UPGRADE_CHECK=1",
	}
}

func (m *machine) runKrew(t *testing.T, args ...string) string {
	t.Helper()
	out, err := m.tryKrew(t, args...)
	if err != nil {
		t.Fatalf("krew %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

func (m *machine) tryKrew(t *testing.T, args ...string) (string, error) {
	t.Helper()
	return tryRun(t, m.userEnvironment(), toolPath(t, "GATI_KREW"), args...)
}

func (m *machine) runKubectl(t *testing.T, args ...string) string {
	t.Helper()
	return mustRun(t, m.userEnvironment(), toolPath(t, "GATI_KUBECTL"), args...)
}

// runShell runs a command line as the person types it.
func (m *machine) runShell(ctx context.Context, line string) (string, error) {
	cmd := exec.CommandContext(ctx, "bash", "-c", line)
	cmd.Env = m.userEnvironment()
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// assertInstalled holds what krew and kubectl say is installed.
func (m *machine) assertInstalled(t *testing.T, name, version string) {
	t.Helper()
	receipt, err := os.ReadFile(filepath.Join(m.root, "receipts", name+".yaml"))
	if err != nil || !strings.Contains(string(receipt), "version: "+version+"\n") {
		t.Errorf("the receipt is not that of %s: %v\n%s", version, err, receipt)
	}
	if out := m.runKrew(t, "list"); !strings.Contains(out, name) {
		t.Errorf("krew list:\n%s", out)
	}
	if out := m.runKubectl(t, "plugin", "list"); !strings.Contains(out, "kubectl-"+name) {
		t.Errorf("kubectl plugin list:\n%s", out)
	}
}

// assertVersionRuns holds that kubectl runs that version.
func (m *machine) assertVersionRuns(t *testing.T, version string) {
	t.Helper()
	if out := m.runKubectl(t, "gati", "--version"); out != "kubectl-gati "+version+"\n" {
		t.Errorf("kubectl gati --version: %q", out)
	}
}

// assertCompletes holds that kubectl completes the plugin's words once the link is
// there. Making it a second time changes nothing.
func (m *machine) assertCompletes(t *testing.T) {
	t.Helper()
	m.runKubectl(t, "gati", "completion", "install")
	if out := m.runKubectl(t, "__complete", "gati", "stat"); !strings.Contains(out, "\nstatus\tShow the health") {
		t.Errorf("kubectl gati stat<TAB>: %q", out)
	}
}

// assertGone holds that kubectl knows no plugin any more.
func (m *machine) assertGone(t *testing.T) {
	t.Helper()
	if out, err := tryRun(t, m.userEnvironment(), toolPath(t, "GATI_KUBECTL"), "gati", "--version"); err == nil {
		t.Errorf("kubectl gati still runs: %s", out)
	}
	if out := m.runKrew(t, "list"); strings.Contains(out, "gati") {
		t.Errorf("krew list:\n%s", out)
	}
}

// toolPath is a program that the Makefile names.
func toolPath(t *testing.T, variable string) string {
	t.Helper()
	path := os.Getenv(variable)
	if path == "" {
		t.Fatalf("%s is not set; run: make test-peers", variable)
	}
	return path
}

func writeFile(t *testing.T, name string, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func mustRun(t *testing.T, env []string, program string, args ...string) string {
	t.Helper()
	out, err := tryRun(t, env, program, args...)
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", filepath.Base(program), strings.Join(args, " "), err, out)
	}
	return out
}

func tryRun(t *testing.T, env []string, program string, args ...string) (string, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Env = env
	out, err := cmd.CombinedOutput()
	return string(out), err
}
