package bundle

import (
	"errors"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// SetImage replaces the image of both Deployments, in the container of their name.
func SetImage(objects []*unstructured.Unstructured, image string) error {
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
	return errors.New("the manifests have no Deployment, so an image cannot be set")
}
