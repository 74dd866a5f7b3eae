// Package render turns an overlay of manifests/ into the objects that
// installing it applies.
//
// It gives the same bytes for the same tree: the order is kustomize's legacy
// order (Namespace, CRDs, RBAC, …, webhook configurations last), keys are
// sorted. It must not know of any cluster: applying is package install's or
// kubectl's.
package render

import (
	"bytes"
	"cmp"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"

	"gati.dev/gati/manifests"
)

// The overlays.
const (
	OverlayDefault      = "default"
	OverlayCertManager  = "cert-manager"
	OverlayLocal        = "local"
	OverlayWebhookPeers = "webhook-peers"
	OverlayHelm         = "helm"
)

// Options say what to render.
type Options struct {
	// Overlay is the name of a folder in overlays/. Empty is OverlayDefault.
	Overlay string
	// URL is where the API server reaches gati-webhook, such as
	// https://127.0.0.1:9443. Only OverlayLocal speaks of a URL.
	URL string
	// Image replaces the image of gati-webhook.
	Image string
	// FS is the tree of manifests. Nil is the embedded one.
	FS fs.FS
}

// Objects renders an overlay into its objects, in the order to apply them in.
func Objects(o Options) ([]*unstructured.Unstructured, error) {
	o.Overlay = cmp.Or(o.Overlay, OverlayDefault)
	objects, err := overlayObjects(o.FS, o.Overlay)
	if err != nil {
		return nil, err
	}
	if err := setURL(objects, o); err != nil {
		return nil, err
	}
	if err := setImage(objects, o); err != nil {
		return nil, err
	}
	return objects, nil
}

// Folder renders a folder of the tree that is no overlay, such as monitoring.
func Folder(tree fs.FS, name string) ([]*unstructured.Unstructured, error) {
	objects, err := runKustomize(tree, name)
	if err != nil {
		return nil, fmt.Errorf("render %s: %w", name, err)
	}
	return objects, nil
}

// YAML renders an overlay as one stream of YAML documents.
func YAML(o Options) ([]byte, error) {
	objects, err := Objects(o)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	fmt.Fprintf(&out, "# Rendered from manifests/overlays/%s by hack/render. Edit the manifests, not this.\n", cmp.Or(o.Overlay, OverlayDefault))
	for i, object := range objects {
		doc, err := yaml.Marshal(object.Object)
		if err != nil {
			return nil, fmt.Errorf("marshal %s %s: %w", object.GetKind(), object.GetName(), err)
		}
		if i > 0 {
			out.WriteString("---\n")
		}
		out.Write(doc)
	}
	return out.Bytes(), nil
}

// embedded has the overlays of the embedded tree that were asked for: kustomize
// takes most of a second for one, and it is always the same.
var embedded = struct {
	sync.Mutex
	objects map[string][]*unstructured.Unstructured
}{objects: map[string][]*unstructured.Unstructured{}}

// overlayObjects returns the objects of an overlay, for the caller to change.
func overlayObjects(tree fs.FS, name string) ([]*unstructured.Unstructured, error) {
	if tree != nil {
		return buildOverlay(tree, name)
	}
	embedded.Lock()
	defer embedded.Unlock()
	if embedded.objects[name] == nil {
		objects, err := buildOverlay(manifests.FS, name)
		if err != nil {
			return nil, err
		}
		embedded.objects[name] = objects
	}
	var out []*unstructured.Unstructured
	for _, object := range embedded.objects[name] {
		out = append(out, object.DeepCopy())
	}
	return out, nil
}

func buildOverlay(tree fs.FS, name string) ([]*unstructured.Unstructured, error) {
	if err := checkOverlay(tree, name); err != nil {
		return nil, err
	}
	objects, err := runKustomize(tree, path.Join("overlays", name))
	if err != nil {
		return nil, fmt.Errorf("render overlay %s: %w", name, err)
	}
	return objects, nil
}

func runKustomize(tree fs.FS, dir string) ([]*unstructured.Unstructured, error) {
	memory, err := loadTree(tree)
	if err != nil {
		return nil, err
	}
	options := krusty.MakeDefaultOptions()
	// The overlays set the order themselves, so that "kubectl kustomize" gives
	// the same one.
	options.Reorder = krusty.ReorderOptionUnspecified
	resources, err := krusty.MakeKustomizer(options).Run(memory, dir)
	if err != nil {
		return nil, err
	}
	objects := make([]*unstructured.Unstructured, 0, resources.Size())
	for _, r := range resources.Resources() {
		// Through JSON, so that numbers have the types unstructured expects.
		raw, err := r.MarshalJSON()
		if err != nil {
			return nil, err
		}
		object := &unstructured.Unstructured{}
		if err := object.UnmarshalJSON(raw); err != nil {
			return nil, err
		}
		objects = append(objects, object)
	}
	return objects, nil
}

// loadTree copies the tree into the kind of file system that kustomize reads.
func loadTree(tree fs.FS) (filesys.FileSystem, error) {
	memory := filesys.MakeFsInMemory()
	err := fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Ext(name) != ".yaml" && path.Ext(name) != ".json" {
			return err
		}
		content, err := fs.ReadFile(tree, name)
		if err != nil {
			return err
		}
		return memory.WriteFile(name, content)
	})
	if err != nil {
		return nil, fmt.Errorf("read the manifests: %w", err)
	}
	return memory, nil
}

func checkOverlay(tree fs.FS, name string) error {
	entries, err := fs.ReadDir(tree, "overlays")
	if err != nil {
		return fmt.Errorf("find the overlays: %w", err)
	}
	var known []string
	for _, e := range entries {
		known = append(known, e.Name())
	}
	if !slices.Contains(known, name) {
		return fmt.Errorf("there is no overlay %q; choose one of: %s", name, strings.Join(known, ", "))
	}
	return nil
}
