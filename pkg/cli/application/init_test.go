package application_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gati.dev/gati/internal/testing/clitest"
	"gati.dev/gati/internal/testing/golden"
	"gati.dev/gati/pkg/cli/exit"
)

func writeAll(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func shop(t *testing.T) string {
	return writeAll(t, map[string]string{
		"package.json":           `{"name": "shop", "version": "1.2.0", "dependencies": {"@gati-framework/runtime": "^2.0.8", "gati-kubernetes": "^0.1.0"}}`,
		"package-lock.json":      "{}",
		"src/handlers/users.ts":  "export const ROUTE = '/users/:id'; export const usersHandler = () => process.env.API_TOKEN + process.env.REGION;",
		"src/handlers/orders.ts": "export const METHOD = 'POST'; export const ordersHandler = () => {};",
	})
}

// TestInit holds the files, that a second run changes nothing, and that lint accepts them.
func TestInit(t *testing.T) {
	t.Setenv("KUBECONFIG", os.DevNull)
	for _, per := range []string{"app", "route"} {
		dir := shop(t)
		args := []string{"init", dir, "--image", "registry.example.com/shop:v1.0.0", "--per", per, "--gateway", "public", "--hostname", "shop.example.com"}
		got := clitest.Run(t.Context(), "", args...)
		golden.Compare(t, per+".txt", got.Stdout)
		if got.Code != exit.OK || got.Stderr != "" {
			t.Errorf("got %+v", got)
		}
		if again := clitest.Run(t.Context(), "", args...); again.Stdout != "nothing changes\n" {
			t.Errorf("the second run: %+v", again)
		}
		manifests, err := filepath.Glob(filepath.Join(dir, "k8s", "shop*.yaml"))
		if err != nil || len(manifests) == 0 {
			t.Fatalf("manifests %v, error %v", manifests, err)
		}
		for _, file := range manifests {
			if linted := clitest.Run(t.Context(), "", "lint", "-f", file); linted.Code != exit.OK {
				t.Errorf("lint of %s: %+v", file, linted)
			}
		}
	}
}

// TestInitOfModules holds the files of an application whose modules have pods of their own:
// each has its own environment and permissions.
func TestInitOfModules(t *testing.T) {
	t.Setenv("KUBECONFIG", os.DevNull)
	dir := writeAll(t, map[string]string{
		"package.json":            `{"name": "shop", "version": "1.2.0", "type": "module", "dependencies": {"@gati-framework/runtime": "workspace:*", "@acme/tools": "workspace:*", "pg": "^8"}}`,
		"gati.config.ts":          "// port: 1\nexport default { server: { port: 8080, host: 'localhost' },\n  routes: [{ path: '/x' }],\n  modules: async (gctx) => {} };",
		"src/handlers/users.js":   "export const ROUTE = '/users/:id'; export const usersHandler = () => process.env.REGION;",
		"src/modules/database.js": "import pg from 'pg'; import { url } from '../url.js'; export const database = { find: () => url };",
		"src/modules/clock.js":    "export const clock = { now: () => Date.now() };",
		"src/url.js":              "export const url = process.env.DATABASE_URL + process.env.DATABASE_NAME;",
	})
	args := []string{"init", dir, "--registry", "registry.example.com/team", "--modules", "cluster", "--gateway", "gateways/public"}
	got := clitest.Run(t.Context(), "", args...)
	golden.Compare(t, "modules.txt", got.Stderr+got.Stdout)
	if again := clitest.Run(t.Context(), "", args...); got.Code != exit.OK || again.Stdout != "nothing changes\n" {
		t.Errorf("got %+v, then %+v", got, again)
	}
	for _, name := range []string{"shop", "module-database", "module-clock"} {
		if linted := clitest.Run(t.Context(), "", "lint", "-f", filepath.Join(dir, "k8s", name+".yaml")); linted.Code != exit.OK {
			t.Errorf("lint of %s: %+v", name, linted)
		}
	}
}

// TestInitKeepsEdits holds that an edited file is shown and not written.
func TestInitKeepsEdits(t *testing.T) {
	dir := shop(t)
	clitest.Run(t.Context(), "", "init", dir, "--image", "shop:v1.0.0")
	path := filepath.Join(dir, "k8s", "shop.yaml")
	if err := os.WriteFile(path, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	got := clitest.Run(t.Context(), "", "init", dir, "--image", "shop:v1.1.0")
	if text, err := os.ReadFile(path); err != nil || string(text) != "mine" || !strings.HasPrefix(got.Stdout, "k8s/shop.yaml: kept as it is") {
		t.Errorf("error %v, %s, printed %+v", err, text, got)
	}
}

func TestInitRefuses(t *testing.T) {
	for want, args := range map[string][]string{
		"name the application": {"init"},
		"--modules is":         {"init", "--image", "a:v1", "--modules", "none"},
		"--per is":             {"init", "--image", "a:v1", "--per", "file"},
		"--hostname needs":     {"init", "--image", "a:v1", "--hostname", "a"},
		"there is no package.": {"init", t.TempDir(), "--image", "a:v1"},
	} {
		if got := clitest.Run(t.Context(), "", args...); got.Code == exit.OK || !strings.Contains(got.Stderr, want) {
			t.Errorf("%v: got %+v, want %q", args, got, want)
		}
	}
}
