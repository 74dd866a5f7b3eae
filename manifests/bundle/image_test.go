package bundle

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// TestAReleaseInstallsItsImage holds that a plugin of a release installs the image that was
// built with it, in both Deployments, and that it needs none for a gati-webhook outside.
func TestAReleaseInstallsItsImage(t *testing.T) {
	released = "registry.example/gati-webhook:v0.0.7@sha256:ab"
	t.Cleanup(func() { released = "" })
	objects, err := Objects("")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, o := range objects {
		containers, _, _ := unstructured.NestedSlice(o.Object, "spec", "template", "spec", "containers")
		for _, c := range containers {
			if image := c.(map[string]any)["image"]; image != released {
				t.Errorf("%s runs %s, want %s", o.GetName(), image, released)
			}
			found++
		}
	}
	if found != 2 {
		t.Errorf("%d containers, want two", found)
	}
	if _, err := Objects("https://10.0.0.1:9443"); err != nil {
		t.Errorf("outside of the cluster: %v", err)
	}
	if err := SetImage(nil, released); err == nil {
		t.Error("an image is set where there is no Deployment")
	}
}
