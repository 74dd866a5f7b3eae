package sampleapp

import (
	"archive/tar"
	"encoding/json"
	"errors"
	"io"
	"os"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

// writeArchive writes a docker-archive with an image for each version. The
// library's own writer orders several images as Go orders a map, which gives
// other bytes each time.
func writeArchive(path string, layers []v1.Layer) (err error) {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	w := archive{tar.NewWriter(file)}
	names, err := w.writeLayers(layers)
	if err != nil {
		return err
	}
	var manifest tarball.Manifest
	for _, version := range Versions {
		image, err := newImage(layers, version)
		if err != nil {
			return err
		}
		config, err := w.writeConfig(image)
		if err != nil {
			return err
		}
		manifest = append(manifest, tarball.Descriptor{Config: config, RepoTags: []string{Repository + ":" + version}, Layers: names})
	}
	text, err := json.Marshal(manifest)
	if err != nil {
		return err
	}
	return errors.Join(w.writeFile("manifest.json", text), w.Close())
}

type archive struct{ *tar.Writer }

// writeLayers writes each layer once and returns the names of their files.
func (w archive) writeLayers(layers []v1.Layer) (names []string, err error) {
	for _, layer := range layers {
		digest, err := layer.Digest()
		if err != nil {
			return nil, err
		}
		packed, err := layer.Compressed()
		if err != nil {
			return nil, err
		}
		content, err := io.ReadAll(packed)
		if err = errors.Join(err, packed.Close()); err != nil {
			return nil, err
		}
		name := digest.Hex + ".tar.gz"
		if err := w.writeFile(name, content); err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	return names, nil
}

func (w archive) writeConfig(image v1.Image) (string, error) {
	name, err := image.ConfigName()
	if err != nil {
		return "", err
	}
	content, err := image.RawConfigFile()
	if err != nil {
		return "", err
	}
	return name.String(), w.writeFile(name.String(), content)
}

func (w archive) writeFile(name string, content []byte) error {
	if err := w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: 0o644, Size: int64(len(content))}); err != nil {
		return err
	}
	_, err := w.Write(content)
	return err
}
