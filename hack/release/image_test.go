package main

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/validate"
)

// TestInstallNamesTheImage holds that install.yaml names the image by the digest that a
// registry library finds in the layout.
func TestInstallNamesTheImage(t *testing.T) {
	t.Parallel()
	index, digest := releasedImage(t)
	if err := validate.Index(index); err != nil {
		t.Errorf("the layout: %v", err)
	}
	text := read(t, released(t), installFile)
	found := images.FindAllSubmatch(text, -1)
	for _, match := range found {
		if want := "registry.example/gati-webhook:v0.0.7@" + digest; string(match[1]) != want {
			t.Errorf("%s names %s, want %s", installFile, match[1], want)
		}
	}
	if len(found) == 0 {
		t.Errorf("%s has no image", installFile)
	}
}

// maxProgram is the largest size of gati-webhook in bytes: its pages are a part of the memory
// that each replica takes.
const maxProgram = 50 << 20

// TestTheImageIsWhatPodsRun holds that the image has the program, the user that the
// manifests name, and the licences.
func TestTheImageIsWhatPodsRun(t *testing.T) {
	t.Parallel()
	image := platformImage(t)
	config, err := image.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	if config.Config.User != "65532:65532" || !slices.Equal(config.Config.Entrypoint, []string{"/gati-webhook"}) || config.OS != "linux" {
		t.Errorf("the configuration is %+v for %s", config.Config, config.OS)
	}
	files := imageFiles(t, image)
	for _, name := range []string{"gati-webhook", "licenses/LICENSE", "licenses/" + noticesFile} {
		if len(files[name]) == 0 {
			t.Errorf("the image has no %s", name)
		}
	}
	if size := len(files["gati-webhook"]); size > maxProgram {
		t.Errorf("gati-webhook has %d bytes, at most %d; find what was added with: go tool nm -size -sort size", size, maxProgram)
	}
}

// releasedImage returns the image of the release, and its digest.
func releasedImage(t *testing.T) (v1.ImageIndex, string) {
	t.Helper()
	all, err := layout.ImageIndexFromPath(layoutOf(t, imageFile))
	if err != nil {
		t.Fatal(err)
	}
	manifest, err := all.IndexManifest()
	if err != nil || len(manifest.Manifests) != 1 {
		t.Fatalf("the layout has %+v, %v; want one image", manifest, err)
	}
	index, err := all.ImageIndex(manifest.Manifests[0].Digest)
	if err != nil {
		t.Fatal(err)
	}
	return index, manifest.Manifests[0].Digest.String()
}

// layoutOf unpacks a file of the release that is the tar of an OCI layout.
func layoutOf(t *testing.T, name string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range tarFiles(t, read(t, released(t), name)) {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// platformImage returns the image of the one platform.
func platformImage(t *testing.T) v1.Image {
	t.Helper()
	index, _ := releasedImage(t)
	manifest, err := index.IndexManifest()
	if err != nil || len(manifest.Manifests) != 1 {
		t.Fatalf("the image has %+v, %v; want one platform", manifest, err)
	}
	image, err := index.Image(manifest.Manifests[0].Digest)
	if err != nil {
		t.Fatal(err)
	}
	return image
}

func imageFiles(t *testing.T, image v1.Image) map[string][]byte {
	t.Helper()
	layers, err := image.Layers()
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]byte{}
	for _, layer := range layers {
		plain, err := layer.Uncompressed()
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(plain)
		if err != nil {
			t.Fatal(err)
		}
		for name, content := range tarFiles(t, content) {
			all[strings.TrimSuffix(name, "/")] = content
		}
	}
	return all
}

func tarFiles(t *testing.T, content []byte) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	for r := tar.NewReader(bytes.NewReader(content)); ; {
		header, err := r.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		if files[header.Name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
	}
}
