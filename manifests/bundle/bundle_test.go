package bundle_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"gati.dev/gati/internal/render"
	"gati.dev/gati/manifests/bundle"
)

// TestObjectsAreThoseOfKustomize holds that they are the same, in the same order.
func TestObjectsAreThoseOfKustomize(t *testing.T) {
	for url, o := range map[string]render.Options{
		"":                    {Overlay: render.OverlayDefault},
		"https://10.0.0.1:44": {Overlay: render.OverlayLocal, URL: "https://10.0.0.1:44"},
	} {
		t.Run(o.Overlay, func(t *testing.T) {
			want, err := render.Objects(o)
			if err != nil {
				t.Fatal(err)
			}
			got, err := bundle.Objects(url)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-kustomize +bundle):\n%s", diff)
			}
		})
	}
}

func TestAddress(t *testing.T) {
	for _, url := range []string{"http://10.0.0.1", "https://", "https://h/path", "h:1", ":"} {
		if _, err := bundle.Objects(url); err == nil {
			t.Errorf("%q is taken", url)
		}
	}
}
