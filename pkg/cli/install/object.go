package install

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

const (
	kindCRD       = "CustomResourceDefinition"
	kindNamespace = "Namespace"
)

// collectionPath is the path of all objects of a kind, in one namespace if it is named.
func collectionPath(gvk schema.GroupVersionKind, namespace string) string {
	path := "/apis/" + gvk.Group + "/" + gvk.Version
	if gvk.Group == "" {
		path = "/api/" + gvk.Version
	}
	if namespace != "" {
		path += "/namespaces/" + namespace
	}
	plural, _ := meta.UnsafeGuessKindToResource(gvk)
	return path + "/" + plural.Resource
}

func pathOf(o *unstructured.Unstructured) string {
	return collectionPath(o.GroupVersionKind(), o.GetNamespace()) + "/" + o.GetName()
}

// objectTitle names an object as kubectl prints it.
func objectTitle(o *unstructured.Unstructured) string {
	name := strings.ToLower(o.GetKind()) + "/" + o.GetName()
	if o.GetNamespace() != "" {
		name += " -n " + o.GetNamespace()
	}
	return name
}

// setImage replaces the image of both Deployments, in the container of their name.
func setImage(objects []*unstructured.Unstructured, image string) error {
	found := false
	for _, o := range objects {
		if o.GetKind() != "Deployment" {
			continue
		}
		containers, _, err := unstructured.NestedSlice(o.Object, "spec", "template", "spec", "containers")
		if err != nil {
			return err
		}
		for _, c := range containers {
			if m, ok := c.(map[string]any); ok && m["name"] == o.GetName() {
				m["image"], found = image, true
			}
		}
		if err := unstructured.SetNestedSlice(o.Object, containers, "spec", "template", "spec", "containers"); err != nil {
			return err
		}
	}
	if found {
		return nil
	}
	return fmt.Errorf("--image %s cannot be combined with --webhook-url: gati-webhook then runs outside the cluster", image)
}
