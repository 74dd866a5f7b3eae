package appimage

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// TestTheSameFilesGiveTheSameArchive holds that neither times, owners nor the
// order of maps are in the bytes.
func TestTheSameFilesGiveTheSameArchive(t *testing.T) {
	var archives [][]byte
	for range 4 {
		t.Setenv("GATI_CACHE", t.TempDir())
		dir := t.TempDir()
		writeFiles(t, dir, map[string]string{"src/main.js": "a", "src/a/b.js": "b", "package.json": "{}", "modules/x/index.js": "x", "modules/x/index.d.ts": "y", "modules/@types/y.js": "z"})
		modules, app := tree{}, tree{"app/.gati": {directory: true, owner: userID}}
		if err := modules.addDir("app/node_modules", filepath.Join(dir, "modules"), isDevelopmentOnly); err != nil {
			t.Fatal(err)
		}
		if err := app.addDir("app/src", filepath.Join(dir, "src"), func(string) bool { return false }); err != nil {
			t.Fatal(err)
		}
		b := &Built{}
		if err := b.pack(&base{image: mutate.MediaType(empty.Image, types.OCIManifestSchema1), layerType: types.OCILayer}, modules, app); err != nil {
			t.Fatal(err)
		}
		first, second := name.MustParseReference("a:v1").(name.Tag), name.MustParseReference("registry.example.com/a:v2").(name.Tag)
		path, err := CachedArchive(Tagged{first, b.Image}, Tagged{second, b.Image})
		if err != nil {
			t.Fatal(err)
		}
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := tarball.ImageFromPath(path, &second); err != nil {
			t.Error(err)
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
