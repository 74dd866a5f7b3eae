package appimage

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
)

// userID is the user that Gati's images are built for.
const userID = 1001

// Source is an application as it is built.
type Source struct {
	// Dir is its folder.
	Dir string
	// Manifest is the package.json whose dependencies are installed, Config the
	// tsconfig.json that compiles src to dist, empty where src runs as it is.
	Manifest, Config []byte
}

// Options are what an application does not say.
type Options struct {
	// Base is an image of a registry that has Node.js. Without one it is that of this machine.
	Base string
	// Log gets a line for each step.
	Log io.Writer
}

// Built is the image of an application.
type Built struct {
	Image  v1.Image
	Layers []Layer
}

// Layer is one of those that an application's image has, from the bottom up.
type Layer struct {
	Name string
	Size int64
}

// Build builds the image of an application.
func Build(ctx context.Context, s Source, o Options) (*Built, error) {
	base, err := o.findBase(ctx)
	if err != nil {
		return nil, err
	}
	work, err := os.MkdirTemp("", "gati-build-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(work)
	b := &build{Source: s, Options: o, work: work}
	dependencies, err := b.findDependencies(ctx)
	if err != nil {
		return nil, err
	}
	code, err := b.findCode(ctx)
	if err != nil {
		return nil, err
	}
	out := &Built{}
	return out, out.pack(base, dependencies, code)
}

// build is a build under way.
type build struct {
	Source
	Options
	// work is a folder that is removed in the end.
	work      string
	manifests manifests
}

func (b *build) logf(format string, args ...any) {
	if b.Log != nil {
		fmt.Fprintf(b.Log, format+"\n", args...)
	}
}

// findDependencies returns those of production.
func (b *build) findDependencies(ctx context.Context) (tree, error) {
	b.logf("installing dependencies")
	m, err := lockDependencies(ctx, b.Source)
	if err != nil {
		return nil, err
	}
	b.manifests = m
	installed, err := m.install(ctx, m.manager.production)
	if err != nil {
		return nil, err
	}
	t := tree{}
	return t, t.addDir("app/node_modules", installed, isDevelopmentOnly)
}

// findCode returns what runs: the sources, or what they are compiled into.
func (b *build) findCode(ctx context.Context) (tree, error) {
	t := tree{
		"app/package.json": {source: filepath.Join(b.Dir, "package.json")},
		"app/.gati":        {directory: true, owner: userID},
	}
	if len(b.Config) == 0 {
		return t, t.addDir("app/src", filepath.Join(b.Dir, "src"), func(string) bool { return false })
	}
	installed, err := b.manifests.install(ctx, b.manifests.manager.development)
	if err != nil {
		return nil, err
	}
	to := filepath.Join(b.work, "code")
	b.logf("compiling src")
	if err := compile(ctx, b.Source, to, installed); err != nil {
		return nil, err
	}
	return t, t.addDir("app/dist", filepath.Join(to, "dist"), isDevelopmentOnly)
}

// pack puts the layers of an application upon those of its base.
func (b *Built) pack(base *base, dependencies, app tree) error {
	below, err := dependencies.packLargeLayer(base.layerType)
	if err != nil {
		return err
	}
	above, err := app.packLayer(base.layerType)
	if err != nil {
		return err
	}
	b.Layers = base.layers
	for i, layer := range []v1.Layer{below, above} {
		size, err := layer.Size()
		if err != nil {
			return err
		}
		b.Layers = append(b.Layers, Layer{[]string{"dependencies", "code"}[i], size})
	}
	image, err := mutate.AppendLayers(base.image, below, above)
	if err != nil {
		return err
	}
	file, err := image.ConfigFile()
	if err != nil {
		return err
	}
	file = file.DeepCopy()
	file.OS, file.Architecture = "linux", runtime.GOARCH
	file.Created = v1.Time{Time: time.Unix(0, 0).UTC()}
	file.Config.User, file.Config.WorkingDir = fmt.Sprintf("%d:%d", userID, userID), "/app"
	file.Config.Entrypoint, file.Config.Cmd = []string{"node"}, []string{"node_modules/" + runner + "/src/cli/main.js"}
	file.Config.Env = append(file.Config.Env, "NODE_ENV=production")
	b.Image, err = mutate.ConfigFile(image, file)
	return err
}

// Dependencies returns a folder node_modules with what an application needs in production. It
// belongs to the cache and must not be written to.
func Dependencies(ctx context.Context, s Source) (string, error) {
	m, err := lockDependencies(ctx, s)
	if err != nil {
		return "", err
	}
	return m.install(ctx, m.manager.production)
}
