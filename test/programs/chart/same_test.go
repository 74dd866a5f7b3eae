package chart

import (
	"maps"
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gati.dev/gati/internal/render"
	"gati.dev/gati/test/support/repository"
)

// keep is the annotation by which helm leaves an object when it uninstalls.
const keep = "helm.sh/resource-policy"

// TestDefaultsAreInstallYAML holds that the chart with its default values has the objects
// of install.yaml, and no other.
func TestDefaultsAreInstallYAML(t *testing.T) {
	text, err := os.ReadFile(repository.Path("manifests", "install.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	release, tests := renderChart(t)
	compareObjects(t, decodeObjects(t, text), release)
	if got := slices.Collect(maps.Keys(tests)); !slices.Equal(got, []string{"GatiHandler/gati-system/gati-chart-test"}) {
		t.Errorf("the tests are %q", got)
	}
}

// TestValuesAreTheOverlays holds that the values for what is an overlay of manifests/ lead
// to the objects of that overlay.
func TestValuesAreTheOverlays(t *testing.T) {
	for overlay, args := range map[string][]string{
		render.OverlayCertManager:  {"--set", "certManager.enabled=true"},
		render.OverlayWebhookPeers: {"--set", "networkPolicy.apiServers={192.0.2.1/32}"},
	} {
		t.Run(overlay, func(t *testing.T) {
			text, err := render.YAML(render.Options{Overlay: overlay})
			if err != nil {
				t.Fatal(err)
			}
			release, _ := renderChart(t, args...)
			compareObjects(t, decodeObjects(t, text), release)
		})
	}
}

// compareObjects compares the objects of a release with those of manifests/. Only the chart says
// what stays when it is uninstalled: the CRDs and the namespace.
func compareObjects(t *testing.T, want, got objects) {
	t.Helper()
	for id, object := range got {
		annotations := object.GetAnnotations()
		kept := object.GetKind() == "CustomResourceDefinition" || object.GetKind() == "Namespace"
		if (annotations[keep] == "keep") != kept {
			t.Errorf("%s: %s is %q", id, keep, annotations[keep])
		}
		delete(annotations, keep)
		if len(annotations) == 0 {
			annotations = nil
		}
		object.SetAnnotations(annotations)
		if want[id] == nil {
			t.Errorf("%s is not in manifests/", id)
			continue
		}
		if diff := cmp.Diff(want[id].Object, object.Object); diff != "" {
			t.Errorf("%s (-manifests,+chart):\n%s", id, diff)
		}
	}
	for id := range want {
		if got[id] == nil {
			t.Errorf("%s is not in the chart", id)
		}
	}
}
