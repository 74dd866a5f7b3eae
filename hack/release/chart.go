package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"sigs.k8s.io/yaml"
)

// The media types by which helm knows a chart in a registry.
const (
	chartConfigType  types.MediaType = "application/vnd.cncf.helm.config.v1+json"
	chartContentType types.MediaType = "application/vnd.cncf.helm.chart.content.v1.tar+gzip"
)

// chartFields are the fields of the chart that belong to a release.
var chartFields = map[string]map[string]*regexp.Regexp{
	"Chart.yaml": {
		"version":    regexp.MustCompile(`(?m)^version: .*$`),
		"appVersion": regexp.MustCompile(`(?m)^appVersion: .*$`),
	},
	"values.yaml": {
		"  repository": regexp.MustCompile(`(?m)^  repository: .*$`),
		"  digest":     regexp.MustCompile(`(?m)^  digest: .*$`),
	},
}

// writeChart writes the chart as the tar of an OCI layout. Its values name the image by
// its digest.
func (r *release) writeChart() error {
	files, err := r.chartFiles()
	if err != nil {
		return err
	}
	content, err := writeTarGz(files)
	if err != nil {
		return err
	}
	packed, err := r.packChart(files, content)
	if err != nil {
		return err
	}
	return r.writeFile(chartFile, packed)
}

// chartFiles returns the files of the chart, those of the release among them rewritten.
func (r *release) chartFiles() ([]file, error) {
	tree := os.DirFS(r.checkoutPath("charts"))
	set := map[string]string{
		"version": r.chartVersion(), "appVersion": r.krew.Spec.Version,
		"  repository": r.places.image(), "  digest": r.imageDigest,
	}
	var files []file
	err := fs.WalkDir(tree, "gati", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := fs.ReadFile(tree, name)
		if err != nil {
			return err
		}
		for field, line := range chartFields[strings.TrimPrefix(name, "gati/")] {
			if found := len(line.FindAll(content, -1)); found != 1 {
				return fmt.Errorf("charts/%s has %d lines with the field %q, want one", name, found, strings.TrimSpace(field))
			}
			content = line.ReplaceAll(content, []byte(field+": "+set[field]))
		}
		files = append(files, file{name, 0o644, content})
		return nil
	})
	return files, err
}

// chartVersion is the release as charts name it: without a v.
func (r *release) chartVersion() string { return strings.TrimPrefix(r.krew.Spec.Version, "v") }

// packChart returns the tar of an OCI layout with the chart, as helm reads it from a
// registry.
func (r *release) packChart(files []file, content []byte) ([]byte, error) {
	config, err := chartConfig(files)
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(r.work, "chart")
	folder, err := layout.Write(dir, empty.Index)
	if err != nil {
		return nil, err
	}
	manifest := v1.Manifest{SchemaVersion: 2, MediaType: types.OCIManifestSchema1}
	if manifest.Config, err = appendBlob(folder, chartConfigType, config); err != nil {
		return nil, err
	}
	layer, err := appendBlob(folder, chartContentType, content)
	if err != nil {
		return nil, err
	}
	manifest.Layers = []v1.Descriptor{layer}
	text, err := json.Marshal(manifest)
	if err != nil {
		return nil, err
	}
	described, err := appendBlob(folder, types.OCIManifestSchema1, text)
	if err != nil {
		return nil, err
	}
	described.Annotations = map[string]string{"org.opencontainers.image.ref.name": r.chartVersion()}
	if err := folder.AppendDescriptor(described); err != nil {
		return nil, err
	}
	return packFolder(dir)
}

// chartConfig returns Chart.yaml as JSON, which registries show without unpacking.
func chartConfig(files []file) ([]byte, error) {
	for _, f := range files {
		if f.name == "gati/Chart.yaml" {
			return yaml.YAMLToJSON(f.content)
		}
	}
	return nil, fmt.Errorf("charts/gati has no Chart.yaml")
}

func appendBlob(folder layout.Path, mediaType types.MediaType, content []byte) (v1.Descriptor, error) {
	digest, size, err := v1.SHA256(bytes.NewReader(content))
	if err != nil {
		return v1.Descriptor{}, err
	}
	blob := v1.Descriptor{MediaType: mediaType, Digest: digest, Size: size}
	return blob, folder.WriteBlob(digest, io.NopCloser(bytes.NewReader(content)))
}
