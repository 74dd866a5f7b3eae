package appimage

import (
	"archive/tar"
	"encoding/json"
	"errors"
	"io"
	"os"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

// Tagged is an image with its name.
type Tagged struct {
	Tag   name.Tag
	Image v1.Image
}

// WriteArchive writes images as a file that "docker load", "ctr images import" and "podman
// load" read: an OCI image layout, with the index of a docker-archive beside it. Images that
// share layers have them once. The same images give the same bytes.
func WriteArchive(path string, images ...Tagged) (err error) {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	w := archive{tar.NewWriter(file), map[string]bool{}}
	index := v1.IndexManifest{SchemaVersion: 2, MediaType: "application/vnd.oci.image.index.v1+json"}
	var docker tarball.Manifest
	for _, i := range images {
		one, err := w.writeImage(i)
		if err != nil {
			return err
		}
		docker = append(docker, one)
		descriptor, err := describe(i)
		if err != nil {
			return err
		}
		index.Manifests = append(index.Manifests, descriptor)
	}
	return errors.Join(w.writeJSON("manifest.json", docker), w.writeJSON("index.json", index),
		w.writeFile("oci-layout", []byte(`{"imageLayoutVersion":"1.0.0"}`)), w.Close())
}

// describe returns the entry of an image in the index of a layout, with its name as
// containerd and as others look for it.
func describe(i Tagged) (v1.Descriptor, error) {
	digest, err := i.Image.Digest()
	if err != nil {
		return v1.Descriptor{}, err
	}
	size, err := i.Image.Size()
	if err != nil {
		return v1.Descriptor{}, err
	}
	media, err := i.Image.MediaType()
	return v1.Descriptor{MediaType: media, Size: size, Digest: digest, Annotations: map[string]string{
		"io.containerd.image.name":          i.Tag.Name(),
		"org.opencontainers.image.ref.name": i.Tag.TagStr(),
	}}, err
}

type archive struct {
	*tar.Writer
	// written are the blobs that are in the file.
	written map[string]bool
}

// writeImage writes the blobs of an image, and returns what a docker-archive says of it.
func (w archive) writeImage(i Tagged) (tarball.Descriptor, error) {
	out := tarball.Descriptor{RepoTags: []string{i.Tag.String()}}
	layers, err := i.Image.Layers()
	if err != nil {
		return out, err
	}
	for _, layer := range layers {
		path, err := w.writeLayer(layer)
		if err != nil {
			return out, err
		}
		out.Layers = append(out.Layers, path)
	}
	config, err := i.Image.ConfigName()
	if err != nil {
		return out, err
	}
	digest, err := i.Image.Digest()
	if err != nil {
		return out, err
	}
	out.Config = blobPath(config)
	return out, errors.Join(w.writeBlob(config, i.Image.RawConfigFile), w.writeBlob(digest, i.Image.RawManifest))
}

func (w archive) writeLayer(layer v1.Layer) (string, error) {
	digest, err := layer.Digest()
	if err != nil {
		return "", err
	}
	return blobPath(digest), w.writeBlob(digest, func() ([]byte, error) {
		packed, err := layer.Compressed()
		if err != nil {
			return nil, err
		}
		content, err := io.ReadAll(packed)
		return content, errors.Join(err, packed.Close())
	})
}

func blobPath(digest v1.Hash) string { return "blobs/" + digest.Algorithm + "/" + digest.Hex }

func (w archive) writeBlob(digest v1.Hash, read func() ([]byte, error)) error {
	path := blobPath(digest)
	if w.written[path] {
		return nil
	}
	content, err := read()
	if err != nil {
		return err
	}
	w.written[path] = true
	return w.writeFile(path, content)
}

func (w archive) writeJSON(path string, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return w.writeFile(path, text)
}

func (w archive) writeFile(name string, content []byte) error {
	if err := w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: 0o644, Size: int64(len(content))}); err != nil {
		return err
	}
	_, err := w.Write(content)
	return err
}

// CachedArchive returns an archive of images whose place is the cache's.
func CachedArchive(images ...Tagged) (string, error) {
	key := []string{"archive 1"}
	for _, i := range images {
		digest, err := i.Image.Digest()
		if err != nil {
			return "", err
		}
		key = append(key, i.Tag.String(), digest.String())
	}
	name, err := cacheKey(key, nil)
	if err != nil {
		return "", err
	}
	return ensureCached("image-"+name+".tar", func(path string) error { return WriteArchive(path, images...) })
}
