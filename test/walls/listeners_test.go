package walls

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// guarding is the package that serves every port.
const guarding = "pkg/webhook/guard"

var (
	// servers are ways to serve a port.
	servers = regexp.MustCompile(`\bhttp\.Server\{|\bmanager\.Server\{|\bhttp\.(?:Serve|ServeTLS|ListenAndServe|ListenAndServeTLS)\(|\bmetricsserver\.NewServer\(|\bnet\.Listen\(`)
	// addresses are those of the manager's own servers, which read headers of 1 MiB.
	addresses = regexp.MustCompile(`(?:\bBindAddress|HealthProbeBindAddress|PprofBindAddress): +([^ ,}\n]+)`)
)

// TestEveryPortIsGuarded holds that the program has no server but that of one package, and
// that the manager's own stay off.
func TestEveryPortIsGuarded(t *testing.T) {
	found := 0
	for path, p := range packages(t) {
		if withinAny(path, []string{"cmd/gati-webhook", "pkg"}) == "" {
			continue
		}
		for _, name := range p.GoFiles {
			text, err := os.ReadFile(filepath.Join(p.Dir, name))
			if err != nil {
				t.Fatal(err)
			}
			if served := servers.FindString(string(text)); served != "" {
				if found++; path != guarding {
					t.Errorf("%s/%s: %s…): serve a port with guard.Server of %s", path, name, served, guarding)
				}
			}
			for _, set := range addresses.FindAllStringSubmatch(string(text), -1) {
				if found++; set[1] != "off" {
					t.Errorf("%s/%s: %s: the manager's own servers have no guard", path, name, set[0])
				}
			}
		}
	}
	if found == 0 {
		t.Error("nothing serves a port: this test looks for the wrong thing")
	}
}
