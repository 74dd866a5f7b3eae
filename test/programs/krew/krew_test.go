package krew

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"gati.dev/gati/internal/testing/remedies"
	"gati.dev/gati/pkg/remedy"
)

const (
	older = "v0.0.8"
	newer = "v0.0.9"
)

// TestFromAnIndex: install, list, run, upgrade, uninstall.
func TestFromAnIndex(t *testing.T) {
	m := newMachine(t)
	m.publishRelease(t, older)
	m.runKrew(t, "update")
	if out := m.runKrew(t, "search", "gati"); !strings.Contains(out, "Show and manage Gati applications") {
		t.Errorf("search:\n%s", out)
	}
	out := m.runKrew(t, "install", "gati")
	for _, want := range []string{"Installed plugin: gati", "kubectl gati install", "kubectl gati completion install"} {
		if !strings.Contains(out, want) {
			t.Errorf("install does not say %q:\n%s", want, out)
		}
	}
	m.assertInstalled(t, "gati", older)
	m.assertVersionRuns(t, older)
	m.assertCompletes(t)

	m.publishRelease(t, newer)
	if out := remedies.Execute(t, m.runShell, remedy.UpgradePlugin, string(remedy.UpgradePlugin)); !strings.Contains(out, "Upgraded plugin: gati") {
		t.Errorf("upgrade:\n%s", out)
	}
	m.assertInstalled(t, "gati", newer)
	m.assertVersionRuns(t, newer)
	m.assertCompletes(t) // by the link that the older one has made

	m.runKubectl(t, "gati", "completion", "uninstall")
	m.runKrew(t, "uninstall", "gati")
	m.assertGone(t)
}

// TestFromFiles: install --manifest --archive, as from a checkout.
func TestFromFiles(t *testing.T) {
	m := newMachine(t)
	m.publishRelease(t, older)
	m.runKrew(t, "update") // krew lists nothing until it has an index
	dist := m.releaseFolder(older)
	m.runKrew(t, "install", "--manifest="+filepath.Join(dist, "krew.yaml"), "--archive="+filepath.Join(dist, archiveName()))
	m.assertInstalled(t, "gati", older)
	m.assertVersionRuns(t, older)
	for _, name := range []string{"kubectl-gati", "LICENSE"} {
		if _, err := os.Stat(filepath.Join(m.root, "store", "gati", older, name)); err != nil {
			t.Errorf("the archive's %s is not installed: %v", name, err)
		}
	}
	m.runKrew(t, "uninstall", "gati")
	m.assertGone(t)
}

// TestAChangedArchiveIsRefused holds that the checksum is that of the archive.
func TestAChangedArchiveIsRefused(t *testing.T) {
	m := newMachine(t)
	dist := m.releaseFolder(older)
	content, err := os.ReadFile(filepath.Join(dist, archiveName()))
	if err != nil {
		t.Fatal(err)
	}
	changed := filepath.Join(t.TempDir(), archiveName())
	if err := os.WriteFile(changed, append(content, 0), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := m.tryKrew(t, "install", "--manifest="+filepath.Join(dist, "krew.yaml"), "--archive="+changed)
	if err == nil || !strings.Contains(out, "checksum does not match") {
		t.Errorf("got %v:\n%s", err, out)
	}
}

// TestValidator holds that krew's own validator takes the manifest: that of the
// checkout with its six platforms as it stands, and one of a release with its
// archive, which the validator installs. It wants the file named after the plugin.
func TestValidator(t *testing.T) {
	validator := toolPath(t, "GATI_KREW_VALIDATOR")
	checkout, err := os.ReadFile("../../../krew.yaml")
	if err != nil {
		t.Fatal(err)
	}
	mustRun(t, nil, validator, "-skip-install", "-manifest", writeFile(t, "gati.yaml", checkout))

	m := newMachine(t)
	server := httptest.NewServer(http.FileServer(http.Dir(m.dist)))
	defer server.Close()
	text, err := os.ReadFile(filepath.Join(m.releaseFolder(older), "krew.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	released := strings.ReplaceAll(string(text), base, server.URL)
	manifest := writeFile(t, "gati.yaml", []byte(released))
	out := mustRun(t, m.userEnvironment(), validator, "-manifest", manifest)
	t.Logf("%s/%s:\n%s", runtime.GOOS, runtime.GOARCH, out)
}
