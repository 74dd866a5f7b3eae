// Package webhookimage builds the image of gati-webhook: one static binary, and in a
// release the licences of all linked modules. The Dockerfile builds the same.
package webhookimage

import (
	"debug/elf"
	"fmt"
	"os"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

const (
	// Program is the path of the binary in the image, as in the Dockerfile.
	Program = "gati-webhook"
	// User is nonroot of the distroless images; the manifests name it too.
	User = "65532:65532"
)

// architectures are Go's names of those that an ELF header speaks of.
var architectures = map[elf.Machine]string{
	elf.EM_X86_64:  "amd64",
	elf.EM_AARCH64: "arm64",
}

// New returns an image with one layer, which has a static binary and then other files.
// The same files give the same digest.
func New(binary string, others ...File) (v1.Image, error) {
	architecture, err := checkStatic(binary)
	if err != nil {
		return nil, err
	}
	content, err := os.ReadFile(binary)
	if err != nil {
		return nil, err
	}
	layer, err := newLayer(append([]File{{Path: Program, Mode: 0o755, Content: content}}, others...))
	if err != nil {
		return nil, err
	}
	image, err := mutate.AppendLayers(mutate.MediaType(empty.Image, types.OCIManifestSchema1), layer)
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
	file.Config = v1.Config{User: User, Entrypoint: []string{"/" + Program}, WorkingDir: "/"}
	image, err = mutate.ConfigFile(image, file)
	return mutate.ConfigMediaType(image, types.OCIConfigJSON), err
}

// checkStatic rejects a binary that cannot run in an empty image, and returns the
// architecture of any other.
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
