package main

import (
	"archive/tar"
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/tarball"

	"gati.dev/gati/internal/webhookimage"
)

const tag = "gati.dev/gati-webhook:test"

func TestTheArchiveHoldsTheImage(t *testing.T) {
	binary := build(t)
	image := read(t, makeImage(t, binary))

	config, err := image.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	if config.Config.User != webhookimage.User || !slices.Equal(config.Config.Entrypoint, []string{"/gati-webhook"}) || config.OS != "linux" {
		t.Errorf("the configuration is %+v for %s", config.Config, config.OS)
	}
	layers, err := image.Layers()
	if err != nil || len(layers) != 1 {
		t.Fatalf("got %d layers and error %v, want 1", len(layers), err)
	}
	content, err := layers[0].Uncompressed()
	if err != nil {
		t.Fatal(err)
	}
	files := tar.NewReader(content)
	header, err := files.Next()
	if err != nil {
		t.Fatal(err)
	}
	if header.Name != webhookimage.Program || header.Mode != 0o755 || header.Uid != 0 {
		t.Errorf("the layer holds %s with mode %o of user %d", header.Name, header.Mode, header.Uid)
	}
	got, err := io.ReadAll(files)
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile(binary)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("the layer does not hold the binary as it is")
	}
	if _, err := files.Next(); err != io.EOF {
		t.Errorf("there is more than the binary in the layer: %v", err)
	}
}

func TestTwoBuildsAreEqual(t *testing.T) {
	first, second := makeImage(t, build(t)), makeImage(t, build(t))
	if a, b := digest(t, read(t, first)), digest(t, read(t, second)); a != b {
		t.Errorf("the digests are %s and %s", a, b)
	}
	a, errA := os.ReadFile(first)
	b, errB := os.ReadFile(second)
	if errA != nil || errB != nil || !bytes.Equal(a, b) {
		t.Errorf("the archives differ (%v, %v)", errA, errB)
	}
}

func TestWhatCannotRunIsRefused(t *testing.T) {
	text := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(text, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct{ binary, out, tag, err string }{
		"a script":   {text, "x", tag, "GOOS=linux"},
		"nothing":    {"", "x", tag, "are required"},
		"a bad name": {text, "x", "a b", "the tag"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := run(tc.binary, tc.out, tc.tag)
			if err == nil || !strings.Contains(err.Error(), tc.err) {
				t.Errorf("got %v, want an error that says %q", err, tc.err)
			}
		})
	}
}

// build compiles a small static program.
func build(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	source, binary := filepath.Join(dir, "main.go"), filepath.Join(dir, "program")
	if err := os.WriteFile(source, []byte("package main\n\nfunc main() {}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	command := exec.Command("go", "build", "-trimpath", "-o", binary, source)
	command.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux")
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return binary
}

func makeImage(t *testing.T, binary string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "image.tar")
	if _, err := run(binary, out, tag); err != nil {
		t.Fatal(err)
	}
	return out
}

func read(t *testing.T, path string) v1.Image {
	t.Helper()
	reference, err := name.NewTag(tag)
	if err != nil {
		t.Fatal(err)
	}
	image, err := tarball.ImageFromPath(path, &reference)
	if err != nil {
		t.Fatal(err)
	}
	return image
}

func digest(t *testing.T, image v1.Image) string {
	t.Helper()
	hash, err := image.Digest()
	if err != nil {
		t.Fatal(err)
	}
	return hash.String()
}
