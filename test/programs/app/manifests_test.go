package app

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"gati.dev/gati/internal/sampleapp"
	"gati.dev/gati/pkg/admit"
	"gati.dev/gati/pkg/facts"
)

// TestManifests runs the sample's manifests through admission: no error, no
// warning, an image that exists, and the module under the name that the handler's
// program reads.
func TestManifests(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(repository, sampleapp.Dir, "manifests", "*.yaml"))
	if err != nil || len(files) < 3 {
		t.Fatalf("found %v, error %v", files, err)
	}
	kinds := map[string]int{}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for image := range findImages(string(content)) {
			if !slices.Contains(sampleapp.Versions, strings.TrimPrefix(image, sampleapp.Repository+":")) {
				t.Errorf("%s: there is no image %s", file, image)
			}
		}
		documents, err := admit.Decode(bytes.NewReader(content), file)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range documents {
			if d.Foreign {
				continue // the Gateway is not ours
			}
			kinds[d.Object.GetObjectKind().GroupVersionKind().Kind]++
			result := admit.Check(d.Object, nil, admit.Surroundings{Facts: facts.Facts{Namespace: "shop", HTTPRouteServed: true}})
			if len(result.Errors) > 0 || len(result.Warnings) > 0 {
				t.Errorf("%s: errors %v, warnings %v", file, result.Errors, result.Warnings)
			}
			if d.Object.GetName() == "users" && !hasVariable(result.Expand(d.Object), "GATI_MODULE_DIRECTORY", "module-directory") {
				t.Errorf("%s: the handler is not told where the module is", file)
			}
		}
	}
	if kinds["GatiHandler"] != len(files) || kinds["GatiModule"] != 1 {
		t.Errorf("found %v", kinds)
	}
}

func findImages(manifest string) map[string]bool {
	found := map[string]bool{}
	for line := range strings.Lines(manifest) {
		if _, image, ok := strings.Cut(line, " image: "); ok {
			found[strings.TrimSpace(image)] = true
		}
	}
	return found
}

// hasVariable looks for a variable in the ConfigMap of a plan.
func hasVariable(plan []client.Object, name, value string) bool {
	for _, object := range plan {
		if config, ok := object.(*corev1.ConfigMap); ok && config.Data[name] == value {
			return true
		}
	}
	return false
}
