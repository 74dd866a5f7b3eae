// Package bundle renders an overlay for the plugin, which must not link kustomize. Package
// render does so with kustomize.
//
// It supports the parts of a kustomization that the overlays default and local use,
// resources and JSON patches, and refuses the rest. A test compares it with package render.
// It must not know of any cluster.
package bundle

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"path"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"

	"gati.dev/gati/manifests"
)

// released is the image of gati-webhook in a release, by its digest. The linker sets it;
// other builds have the image that the manifests name.
var released string

// Objects are those of the overlay default, in the order to apply them in. With
// a URL they are those of the overlay local, for a gati-webhook outside the
// cluster that the API server reaches there.
func Objects(at string) ([]*unstructured.Unstructured, error) {
	overlay := "default"
	if at != "" {
		if u, err := url.Parse(at); err != nil || u.Scheme != "https" || u.Host == "" || u.Path != "" {
			return nil, fmt.Errorf("%q must be https://HOST:PORT, for that is all the API server calls", at)
		}
		overlay = "local"
	}
	objects, err := buildOverlay(manifests.FS, path.Join("overlays", overlay))
	if err != nil {
		return nil, fmt.Errorf("the manifests of overlay %s: %w", overlay, err)
	}
	slices.SortStableFunc(objects, inOrder)
	switch {
	case at != "":
		redirectHooks(objects, at)
	case released != "":
		return objects, SetImage(objects, released)
	}
	return objects, nil
}

// kustomization is as much of one as is understood.
type kustomization struct {
	APIVersion  string   `json:"apiVersion"`
	Kind        string   `json:"kind"`
	Resources   []string `json:"resources"`
	Patches     []patch  `json:"patches"`
	SortOptions struct {
		Order string `json:"order"`
	} `json:"sortOptions"`
}

func buildOverlay(tree fs.FS, dir string) ([]*unstructured.Unstructured, error) {
	text, err := fs.ReadFile(tree, path.Join(dir, "kustomization.yaml"))
	if err != nil {
		return nil, err
	}
	var k kustomization
	if err := yaml.UnmarshalStrict(text, &k); err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	var objects []*unstructured.Unstructured
	for _, name := range k.Resources {
		load := buildOverlay
		if path.Ext(name) == ".yaml" {
			load = readObjects
		}
		more, err := load(tree, path.Join(dir, name))
		if err != nil {
			return nil, err
		}
		objects = append(objects, more...)
	}
	for _, p := range k.Patches {
		if err := p.applyTo(objects); err != nil {
			return nil, fmt.Errorf("%s: %w", dir, err)
		}
	}
	return objects, nil
}

// readObjects reads the documents of a file.
func readObjects(tree fs.FS, name string) ([]*unstructured.Unstructured, error) {
	text, err := fs.ReadFile(tree, name)
	if err != nil {
		return nil, err
	}
	var objects []*unstructured.Unstructured
	for r := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(text))); ; {
		doc, err := r.Read()
		if errors.Is(err, io.EOF) {
			return objects, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		raw, err := yaml.YAMLToJSON(doc)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if bytes.Equal(raw, []byte("null")) {
			continue // a file that begins with a separator
		}
		object := &unstructured.Unstructured{}
		if err := json.Unmarshal(raw, object); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		objects = append(objects, object)
	}
}
