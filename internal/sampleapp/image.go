package sampleapp

import (
	"context"
	"os"
	"path/filepath"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/mutate"

	"gati.dev/gati/pkg/appimage"
)

const (
	// Dir is the application's folder below the root of the repository.
	Dir = "samples/app"
	// Repository is the name of the image, without its tag.
	Repository = "gati.dev/sample-app"
)

// Versions are the tags of the image. They share their layers and differ in the
// environment, which has the version.
var Versions = []string{"v1.0.0", "v1.1.0", "v2.0.0", "v3.0.0"}

// Image returns an archive of the application in dir with all tags, ready for
// "ctr images import" or "docker load". Its place is the cache's, by its content.
func Image(ctx context.Context, dir string) (string, error) {
	s, err := source(dir)
	if err != nil {
		return "", err
	}
	built, err := appimage.Build(ctx, s, appimage.Options{})
	if err != nil {
		return "", err
	}
	var images []appimage.Tagged
	for _, version := range Versions {
		tag, err := name.NewTag(Repository + ":" + version)
		if err != nil {
			return "", err
		}
		image, err := setVersion(built.Image, version)
		if err != nil {
			return "", err
		}
		images = append(images, appimage.Tagged{Tag: tag, Image: image})
	}
	return appimage.CachedArchive(images...)
}

// Dependencies returns a folder node_modules with the production dependencies of the
// application in dir. It belongs to the cache and must not be written to.
func Dependencies(ctx context.Context, dir string) (string, error) {
	s, err := source(dir)
	if err != nil {
		return "", err
	}
	return appimage.Dependencies(ctx, s)
}

func source(dir string) (appimage.Source, error) {
	text, err := os.ReadFile(filepath.Join(dir, "package.json"))
	return appimage.Source{Dir: dir, Manifest: text}, err
}

// setVersion has an image start the sample's own program in a version.
func setVersion(image v1.Image, version string) (v1.Image, error) {
	file, err := image.ConfigFile()
	if err != nil {
		return nil, err
	}
	config := file.DeepCopy().Config
	config.Entrypoint, config.Cmd = []string{"/usr/bin/node"}, []string{"src/main.js"}
	config.Env = append(config.Env, "APP_VERSION="+version)
	return mutate.Config(image, config)
}
