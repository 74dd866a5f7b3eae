package appimage

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestManifestsInstallTheRunnerOfThisProgram(t *testing.T) {
	got, err := installable([]byte(`{"name": "a", "scripts": {"postinstall": "exit 1"}, "workspaces": [], "dependencies": {"b": "^1", "gati-kubernetes": "^0.1.0"}}`))
	if want := `{"dependencies":{"b":"^1","gati-kubernetes":"file:.gati-kubernetes"},"name":"a"}`; err != nil || string(got) != want {
		t.Errorf("got %s and error %v, want %s", got, err, want)
	}
	for text, want := range map[string]string{"{": "package.json: unexpected", `{"dependencies": []}`: "package.json: dependencies"} {
		if _, err := installable([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

// TestLocksHaveNoPaths holds that a lock file is read without what it has of its author's
// machine.
func TestLocksHaveNoPaths(t *testing.T) {
	path := filepath.Join(t.TempDir(), "package-lock.json")
	writeFiles(t, filepath.Dir(path), map[string]string{"package-lock.json": `{"lockfileVersion": 3, "packages": {
		"": {"name": "a"}, "../b": {"version": "1.0.0"}, "node_modules/b": {"resolved": "../b", "link": true},
		"node_modules/c": {"resolved": "file:../c"}, "node_modules/d": {"version": "1.0.0", "resolved": "https://registry.example.com/d.tgz"}}}`})
	if err := dropPaths(path); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if want := `{"lockfileVersion":3,"packages":{"node_modules/d":{"version":"1.0.0","resolved":"https://registry.example.com/d.tgz"}}}`; err != nil || string(text) != want {
		t.Errorf("got %s and error %v, want %s", text, err, want)
	}
}

func TestErrorsOfTheCompilerHaveTheirPlace(t *testing.T) {
	got := CompileError{findErrors("src/handlers/a.ts(3,7): error TS2322: Type 'string' is not assignable to type 'number'.\n  It goes on.\n")}.Error()
	want := "the code does not compile:\nsrc/handlers/a.ts:3:7: Type 'string' is not assignable to type 'number'. (TS2322)\n  It goes on."
	if got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func writeFiles(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
