package main

import (
	"archive/tar"
	"bytes"
	"debug/elf"
	"fmt"
	"io"
	"os"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

const (
	// program is where the binary lies in the image, as in the Dockerfile.
	program = "gati-webhook"
	// user is nonroot of the distroless images; the manifests name it too.
	user = "65532:65532"
)

// architectures are Go's names of those that an ELF header speaks of.
var architectures = map[elf.Machine]string{
	elf.EM_X86_64:  "amd64",
	elf.EM_AARCH64: "arm64",
}

// newImage returns an image with one layer that holds a static binary only. The
// same binary gives the same digest.
func newImage(path string) (v1.Image, error) {
	architecture, err := checkStatic(path)
	if err != nil {
		return nil, err
	}
	layer, err := newLayer(path)
	if err != nil {
		return nil, err
	}
	image, err := mutate.AppendLayers(empty.Image, layer)
	if err != nil {
		return nil, err
	}
	file, err := image.ConfigFile()
	if err != nil {
		return nil, err
	}
	file = file.DeepCopy()
	file.OS, file.Architecture = "linux", architecture
	file.Created = v1.Time{Time: time.Unix(0, 0).UTC()}
	file.Config = v1.Config{User: user, Entrypoint: []string{"/" + program}, WorkingDir: "/"}
	return mutate.ConfigFile(image, file)
}

// checkStatic rejects a binary that cannot run in an empty image.
func checkStatic(path string) (string, error) {
	binary, err := elf.Open(path)
	if err != nil {
		return "", fmt.Errorf("%s is not a Linux binary: %w; build it with GOOS=linux", path, err)
	}
	defer func() { _ = binary.Close() }()
	for _, p := range binary.Progs {
		if p.Type == elf.PT_INTERP {
			return "", fmt.Errorf("%s is linked dynamically; build it with CGO_ENABLED=0", path)
		}
	}
	architecture, ok := architectures[binary.Machine]
	if !ok {
		return "", fmt.Errorf("%s is for %s, want one of %v", path, binary.Machine, architectures)
	}
	return architecture, nil
}

func newLayer(path string) (v1.Layer, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var buffer bytes.Buffer
	w := tar.NewWriter(&buffer)
	// No owner but root and no time but zero: the layer depends on the content.
	header := &tar.Header{Typeflag: tar.TypeReg, Name: program, Mode: 0o755, Size: int64(len(content)), ModTime: time.Unix(0, 0), Format: tar.FormatUSTAR}
	if err := w.WriteHeader(header); err != nil {
		return nil, err
	}
	if _, err := w.Write(content); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return tarball.LayerFromOpener(func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(buffer.Bytes())), nil
	})
}
