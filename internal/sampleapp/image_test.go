package sampleapp

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// TestTheSameFilesGiveTheSameArchive holds that neither times, owners nor the
// order of maps are in the bytes.
func TestTheSameFilesGiveTheSameArchive(t *testing.T) {
	var archives [][]byte
	for range 4 {
		dir := t.TempDir()
		for _, name := range []string{"src/main.js", "src/a/b.js", "package.json", "modules/x/index.js", "modules/x/index.d.ts", "modules/@types/y.js"} {
			path := filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(name), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		layers, err := newLayers(nodeTree(filepath.Join(dir, "package.json"), nil), dir, filepath.Join(dir, "modules"))
		if err != nil {
			t.Fatal(err)
		}
		archive := filepath.Join(dir, "archive.tar")
		if err := writeArchive(archive, layers); err != nil {
			t.Fatal(err)
		}
		content, err := os.ReadFile(archive)
		if err != nil {
			t.Fatal(err)
		}
		archives = append(archives, content)
	}
	for i, archive := range archives[1:] {
		if !bytes.Equal(archive, archives[0]) {
			t.Errorf("archive %d differs from the first", i+1)
		}
	}
}

func TestPathsComeAfterTheirDirectories(t *testing.T) {
	got := tree{"a/b/c.js": {}, "a-b/d.js": {}, "a/.gati": {directory: true, owner: userID}}.sortedPaths()
	want := []string{"a", "a/.gati", "a/b", "a/b/c.js", "a-b", "a-b/d.js"}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestWhatIsNotRunStaysOut(t *testing.T) {
	tests := map[string]bool{
		"pino/pino.js": false, "pino/LICENSE": false, "ajv/dist/refs/data.json": false, "chokidar/esm/index.js": false,
		"pino/pino.d.ts": true, "ajv/dist/ajv.js.map": true, "pino/README.md": true, "@types": true, ".bin": true,
	}
	for path, want := range tests {
		if got := isDevelopmentOnly(path); got != want {
			t.Errorf("%s: got %v, want %v", path, got, want)
		}
	}
}

func TestTheVersionIsInTheEnvironment(t *testing.T) {
	layer, err := tree{"a": {content: "x"}}.packLayer()
	if err != nil {
		t.Fatal(err)
	}
	image, err := newImage([]v1.Layer{layer}, "v9.9.9")
	if err != nil {
		t.Fatal(err)
	}
	file, err := image.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(file.Config.Env, "APP_VERSION=v9.9.9") {
		t.Errorf("the environment is %v", file.Config.Env)
	}
}
