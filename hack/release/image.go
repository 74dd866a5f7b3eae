package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"

	"gati.dev/gati/hack/release/license"
	"gati.dev/gati/hack/release/sbom"
	"gati.dev/gati/internal/webhookimage"
)

// makeImage makes the image of gati-webhook, and prints its digest.
func (r *release) makeImage() error {
	if _, err := name.NewTag(r.taggedImage(), name.StrictValidation); err != nil {
		return fmt.Errorf("image: %w", err)
	}
	index, programs, err := r.makeIndex()
	if err != nil {
		return err
	}
	packed, err := r.packImage(index)
	if err != nil {
		return err
	}
	base := r.places.image()[strings.LastIndex(r.places.image(), "/")+1:]
	r.artifacts = append(r.artifacts, sbom.Artifact{
		Name: imageFile, Path: filepath.Join(r.outputFolder(), imageFile), URL: r.fileURL(imageFile), Purpose: "CONTAINER", Programs: programs,
		Reference: fmt.Sprintf("pkg:oci/%s@%s", base, strings.Replace(r.imageDigest, ":", "%3A", 1)),
	})
	fmt.Println(r.pinnedImage())
	return r.writeFile(imageFile, packed)
}

// makeIndex returns an index with an image for each platform of gati-webhook, and the
// programs in them.
func (r *release) makeIndex() (index v1.ImageIndex, programs []sbom.Program, err error) {
	own, err := os.ReadFile(r.checkoutPath("LICENSE"))
	if err != nil {
		return nil, nil, err
	}
	texts := []webhookimage.File{
		{Path: "licenses/LICENSE", Mode: 0o644, Content: own},
		{Path: "licenses/" + noticesFile, Mode: 0o644, Content: r.notices},
	}
	index = empty.Index
	for _, p := range r.serverPlatforms() {
		program, err := r.makeServer(p)
		if err != nil {
			return nil, nil, err
		}
		image, err := webhookimage.New(program.Path, texts...)
		if err != nil {
			return nil, nil, err
		}
		described := v1.Descriptor{Platform: &v1.Platform{OS: p.OS, Architecture: p.Arch}}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: image, Descriptor: described})
		programs = append(programs, program)
	}
	return index, programs, nil
}

// makeServer compiles gati-webhook for a platform.
func (r *release) makeServer(p license.Platform) (sbom.Program, error) {
	program := sbom.Program{Name: "gati-webhook_" + p.OS + "_" + p.Arch}
	program.Path = filepath.Join(r.work, program.Name)
	return program, r.compileProgram(webhook, program.Path, r.krew.Spec.Version, p.OS, p.Arch)
}

// packImage returns the tar of an OCI layout with one index, under the name that engines
// give it on import. The index's digest is what a registry serves and a pod names.
func (r *release) packImage(index v1.ImageIndex) ([]byte, error) {
	digest, err := index.Digest()
	if err != nil {
		return nil, err
	}
	r.imageDigest = digest.String()
	dir := filepath.Join(r.work, "layout")
	folder, err := layout.Write(dir, empty.Index)
	if err != nil {
		return nil, err
	}
	names := map[string]string{"io.containerd.image.name": r.taggedImage(), "org.opencontainers.image.ref.name": r.taggedImage()}
	if err := folder.AppendIndex(index, layout.WithAnnotations(names)); err != nil {
		return nil, err
	}
	return packFolder(dir)
}

func (r *release) taggedImage() string { return r.places.image() + ":" + r.krew.Spec.Version }

// pinnedImage returns the image as manifests name it: the tag is for people, the digest
// decides. Archives that are made without an image know its tag alone.
func (r *release) pinnedImage() string {
	if r.imageDigest == "" {
		return r.taggedImage()
	}
	return r.taggedImage() + "@" + r.imageDigest
}
