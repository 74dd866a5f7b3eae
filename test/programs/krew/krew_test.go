package krew

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

const (
	older = "v0.0.8"
	newer = "v0.0.9"
)

// TestFromAnIndex: install, list, run, upgrade, uninstall.
func TestFromAnIndex(t *testing.T) {
	m := newMachine(t)
	m.publish(t, older)
	m.krew(t, "update")
	if out := m.krew(t, "search", "gati"); !strings.Contains(out, "Show and manage Gati applications") {
		t.Errorf("search:\n%s", out)
	}
	out := m.krew(t, "install", "gati")
	for _, want := range []string{"Installed plugin: gati", "kubectl gati install", "kubectl gati completion install"} {
		if !strings.Contains(out, want) {
			t.Errorf("install does not say %q:\n%s", want, out)
		}
	}
	m.listed(t, "gati", older)
	m.runs(t, older)
	m.completes(t)

	m.publish(t, newer)
	if out := m.krew(t, "upgrade"); !strings.Contains(out, "Upgraded plugin: gati") {
		t.Errorf("upgrade:\n%s", out)
	}
	m.listed(t, "gati", newer)
	m.runs(t, newer)
	m.completes(t) // by the link that the older one has made

	m.kubectl(t, "gati", "completion", "uninstall")
	m.krew(t, "uninstall", "gati")
	m.gone(t)
}

// TestFromFiles: install --manifest --archive, as from a checkout.
func TestFromFiles(t *testing.T) {
	m := newMachine(t)
	m.publish(t, older)
	m.krew(t, "update") // krew lists nothing until it has an index
	dist := m.releases(older)
	m.krew(t, "install", "--manifest="+filepath.Join(dist, "krew.yaml"), "--archive="+filepath.Join(dist, archive()))
	m.listed(t, "gati", older)
	m.runs(t, older)
	for _, name := range []string{"kubectl-gati", "LICENSE"} {
		if _, err := os.Stat(filepath.Join(m.root, "store", "gati", older, name)); err != nil {
			t.Errorf("the archive's %s is not installed: %v", name, err)
		}
	}
	m.krew(t, "uninstall", "gati")
	m.gone(t)
}

// TestAChangedArchiveIsRefused holds that the checksum is that of the archive.
func TestAChangedArchiveIsRefused(t *testing.T) {
	m := newMachine(t)
	dist := m.releases(older)
	content, err := os.ReadFile(filepath.Join(dist, archive()))
	if err != nil {
		t.Fatal(err)
	}
	changed := filepath.Join(t.TempDir(), archive())
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
	validator := tool(t, "GATI_KREW_VALIDATOR")
	checkout, err := os.ReadFile("../../../krew.yaml")
	if err != nil {
		t.Fatal(err)
	}
	run(t, nil, validator, "-skip-install", "-manifest", write(t, "gati.yaml", checkout))

	m := newMachine(t)
	server := httptest.NewServer(http.FileServer(http.Dir(m.dist)))
	defer server.Close()
	text, err := os.ReadFile(filepath.Join(m.releases(older), "krew.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	released := strings.ReplaceAll(string(text), base, server.URL)
	manifest := write(t, "gati.yaml", []byte(released))
	out := run(t, m.environment(), validator, "-manifest", manifest)
	t.Logf("%s/%s:\n%s", runtime.GOOS, runtime.GOARCH, out)
}
