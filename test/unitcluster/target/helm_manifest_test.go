package target

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	release "helm.sh/helm/v4/pkg/release/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"gati.dev/gati/test/support/peers"
)

// The manifest of a release has the objects that Helm renders of its chart, in Helm's order.
// Helm's rollback and uninstall go by it.
func TestHelmManifestIsWhatHelmRenders(t *testing.T) {
	peers.Need(t)
	for name, owner := range makeOwners() {
		t.Run(name, func(t *testing.T) {
			w := newReleases(t, owner.DeepCopyObject().(client.Object))
			w.applyUntilSettled()
			last := w.readHistory()[0]
			rendered := w.runHelm("template", last.Name, chartFolder(t, last))
			if diff := cmp.Diff(parseDocuments(t, rendered), parseDocuments(t, last.Manifest)); diff != "" {
				t.Errorf("(-helm template +manifest):\n%s", diff)
			}
			if kept := w.runHelm("get", "manifest", last.Name); strings.TrimSpace(kept) != strings.TrimSpace(last.Manifest) {
				t.Errorf("helm get manifest prints\n%s", kept)
			}
		})
	}
}

// document is an object with where Helm says it comes from.
type document struct {
	Source string
	Object map[string]any
}

func parseDocuments(t *testing.T, manifest string) []document {
	t.Helper()
	var out []document
	for text := range strings.SplitSeq(manifest, "---\n# Source: ") {
		source, text, found := strings.Cut(text, "\n")
		if !found {
			continue
		}
		d := document{Source: source}
		if err := yaml.Unmarshal([]byte(text), &d.Object); err != nil {
			t.Fatal(err)
		}
		out = append(out, d)
	}
	if len(out) == 0 {
		t.Fatalf("no object in\n%s", manifest)
	}
	return out
}

// chartFolder writes the chart of a release into a folder.
func chartFolder(t *testing.T, r *release.Release) string {
	t.Helper()
	folder := filepath.Join(t.TempDir(), r.Chart.Name())
	about, err := yaml.Marshal(r.Chart.Metadata)
	if err != nil {
		t.Fatal(err)
	}
	values, err := yaml.Marshal(r.Chart.Values)
	if err != nil {
		t.Fatal(err)
	}
	files := fstest.MapFS{"Chart.yaml": {Data: about}, "values.yaml": {Data: values}}
	for _, f := range r.Chart.Templates {
		files[f.Name] = &fstest.MapFile{Data: f.Data}
	}
	if err := os.CopyFS(folder, files); err != nil {
		t.Fatal(err)
	}
	return folder
}
