// Command image makes the container image of gati-webhook without a container
// engine: the image of the Dockerfile, as a docker-archive.
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/v1/tarball"

	"gati.dev/gati/internal/webhookimage"
)

func main() {
	binary := flag.String("binary", "", "the static Linux binary of gati-webhook")
	out := flag.String("o", "", "the docker-archive to write")
	tag := flag.String("tag", "gati.dev/gati-webhook:v0.1.0", "the name of the image")
	flag.Parse()
	digest, err := run(*binary, *out, *tag)
	if err != nil {
		fmt.Fprintln(os.Stderr, "image:", err)
		os.Exit(1)
	}
	fmt.Println(*tag, digest)
}

func run(binary, out, tag string) (digest string, err error) {
	if binary == "" || out == "" {
		return "", fmt.Errorf("-binary and -o are required")
	}
	reference, err := name.NewTag(tag)
	if err != nil {
		return "", fmt.Errorf("the tag %q: %w", tag, err)
	}
	image, err := webhookimage.New(binary)
	if err != nil {
		return "", err
	}
	if err := tarball.WriteToFile(out, reference, image); err != nil {
		return "", fmt.Errorf("write %s: %w", out, err)
	}
	hash, err := image.Digest()
	return hash.String(), err
}
