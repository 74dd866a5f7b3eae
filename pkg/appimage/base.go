package appimage

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// base is an image with Node.js, on which an application's layers are put.
type base struct {
	image  v1.Image
	layers []Layer
	// layerType is that of further layers.
	layerType types.MediaType
}

func (o Options) findBase(ctx context.Context) (*base, error) {
	if o.Base == "" {
		return newMachineBase(ctx)
	}
	return pullBase(ctx, o.Base)
}

// pullBase returns an image of a registry, for this machine's architecture.
func pullBase(ctx context.Context, image string) (*base, error) {
	reference, err := name.ParseReference(image)
	if err != nil {
		return nil, fmt.Errorf("the base image %q: %w", image, err)
	}
	b := &base{layerType: types.OCILayer}
	b.image, err = remote.Image(reference, remote.WithContext(ctx), remote.WithAuthFromKeychain(authn.DefaultKeychain),
		remote.WithPlatform(v1.Platform{OS: "linux", Architecture: runtime.GOARCH}))
	if err != nil {
		return nil, fmt.Errorf("read the base image %s: %w", image, err)
	}
	manifest, err := b.image.Manifest()
	if err != nil {
		return nil, fmt.Errorf("read the base image %s: %w", image, err)
	}
	if manifest.MediaType == types.DockerManifestSchema2 {
		b.layerType = types.DockerLayer
	}
	digest, err := b.image.Digest()
	if err != nil {
		return nil, err
	}
	var size int64
	for _, l := range manifest.Layers {
		size += l.Size
	}
	b.layers = []Layer{{reference.Context().Name() + "@" + digest.String(), size}}
	return b, nil
}

// newMachineBase makes an image of this machine's Node.js and its libraries. Its layer is in
// the cache: it changes with Node.js alone.
func newMachineBase(ctx context.Context) (*base, error) {
	node, err := FindNode()
	if err != nil {
		return nil, err
	}
	libraries, err := runtimeFiles(ctx, node)
	if err != nil {
		return nil, err
	}
	layer, err := nodeTree(node, libraries).packLargeLayer(types.OCILayer)
	if err != nil {
		return nil, err
	}
	size, err := layer.Size()
	if err != nil {
		return nil, err
	}
	image := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	if image, err = mutate.AppendLayers(image, layer); err != nil {
		return nil, err
	}
	file, err := image.ConfigFile()
	if err != nil {
		return nil, err
	}
	file = file.DeepCopy()
	file.Config.Env = []string{"PATH=/usr/bin"}
	image, err = mutate.ConfigFile(image, file)
	return &base{image, []Layer{{"Node.js", size}}, types.OCILayer}, err
}

// nodeTree has Node.js and its libraries: the layer that rarely changes.
func nodeTree(node string, libraries []string) tree {
	t := tree{
		"usr/bin/node":      {source: node, executable: true},
		"etc/passwd":        {content: fmt.Sprintf("gati:x:%d:%d::/app:/sbin/nologin\n", userID, userID)},
		"etc/group":         {content: fmt.Sprintf("gati:x:%d:\n", userID)},
		"etc/nsswitch.conf": {content: "hosts: files dns\n"},
		"tmp":               {directory: true},
	}
	for _, file := range libraries {
		t[strings.TrimPrefix(file, "/")] = entry{source: file, executable: !strings.HasSuffix(file, ".js")}
	}
	return t
}

// developmentOnly are the endings of files that serve compilers, debuggers and readers
// only. These are half of the size. Licences stay.
var developmentOnly = []string{".map", ".d.ts", ".d.mts", ".d.cts", ".ts", ".md"}

// isDevelopmentOnly reports whether nothing of a file of the dependencies is run.
func isDevelopmentOnly(path string) bool {
	if slices.Contains([]string{"@types", "undici-types", ".bin", ".package-lock.json", ".modules.yaml", ".yarn-integrity"}, path) {
		return true
	}
	return slices.ContainsFunc(developmentOnly, func(end string) bool { return strings.HasSuffix(path, end) })
}
