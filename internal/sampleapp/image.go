package sampleapp

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
)

const (
	// Repository is the name of the image, without its tag.
	Repository = "gati.dev/sample-app"
	// userID is the user that Gati's images are built for.
	userID = 1001
	// format is part of the cache's key; a change of what this package writes
	// changes it.
	format = "image 3"
)

// Versions are the tags of the image. They share their layers and differ in the
// environment, which has the version.
var Versions = []string{"v1.0.0", "v1.1.0", "v2.0.0", "v3.0.0"}

// Image returns a docker-archive of the application in dir with all tags, ready for
// "ctr images import" or "docker load".
func Image(ctx context.Context, dir string) (string, error) {
	node, err := FindNode()
	if err != nil {
		return "", err
	}
	libraries, err := runtimeFiles(ctx, node)
	if err != nil {
		return "", err
	}
	sources, err := sourceFiles(dir)
	if err != nil {
		return "", fmt.Errorf("there is no application in %s: %w", dir, err)
	}
	texts := append([]string{format, node, runtime.GOARCH}, append(libraries, Versions...)...)
	inputs := append(append(joinAll(dir, manifests), sources...), append(libraries, node)...)
	key, err := cacheKey(texts, inputs)
	if err != nil {
		return "", err
	}
	return ensureCached("image-"+key+".tar", func(path string) error {
		dependencies, err := Dependencies(ctx, dir)
		if err != nil {
			return err
		}
		layers, err := newLayers(nodeTree(node, libraries), dir, dependencies)
		if err != nil {
			return err
		}
		return writeArchive(path, layers)
	})
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

func newLayers(node tree, dir, dependencies string) ([]v1.Layer, error) {
	app := tree{
		"app/package.json": {source: filepath.Join(dir, "package.json")},
		"app/.gati":        {directory: true, owner: userID},
	}
	if err := app.addDir("app/src", filepath.Join(dir, "src"), func(string) bool { return false }); err != nil {
		return nil, err
	}
	modules := tree{}
	if err := modules.addDir("app/node_modules", dependencies, isDevelopmentOnly); err != nil {
		return nil, err
	}
	var layers []v1.Layer
	for _, t := range []tree{node, modules, app} {
		layer, err := t.packLayer()
		if err != nil {
			return nil, err
		}
		layers = append(layers, layer)
	}
	return layers, nil
}

// isDevelopmentOnly reports whether a file of the dependencies serves compilers,
// debuggers and readers only. These are half of the size. Licences stay.
func isDevelopmentOnly(path string) bool {
	if path == "@types" || path == "undici-types" || path == ".bin" || path == ".package-lock.json" {
		return true
	}
	for _, suffix := range []string{".map", ".d.ts", ".d.mts", ".d.cts", ".ts", ".md"} {
		if strings.HasSuffix(path, suffix) {
			return true
		}
	}
	return false
}

func newImage(layers []v1.Layer, version string) (v1.Image, error) {
	image, err := mutate.AppendLayers(empty.Image, layers...)
	if err != nil {
		return nil, err
	}
	file, err := image.ConfigFile()
	if err != nil {
		return nil, err
	}
	file = file.DeepCopy()
	file.OS, file.Architecture = "linux", runtime.GOARCH
	file.Created = v1.Time{Time: time.Unix(0, 0).UTC()}
	file.Config = v1.Config{
		User: fmt.Sprintf("%d:%d", userID, userID), WorkingDir: "/app",
		Entrypoint: []string{"/usr/bin/node"}, Cmd: []string{"src/main.js"},
		Env: []string{"PATH=/usr/bin", "NODE_ENV=production", "APP_VERSION=" + version},
	}
	return mutate.ConfigFile(image, file)
}
