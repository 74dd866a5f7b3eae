package api

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"gati.dev/gati/test/support/repository"
)

var example = regexp.MustCompile("(?ms)^```yaml\n(apiVersion: gati.dev/v1(?:alpha1)?\n.*?)^```\n")

// TestExamplesOfThePageAreStored holds that an API server stores the examples of
// docs/crds.md, in both versions of the API, and drops no field of them.
func TestExamplesOfThePageAreStored(t *testing.T) {
	page, err := os.ReadFile(repository.Path("docs", "crds.md"))
	if err != nil {
		t.Fatal(err)
	}
	found := example.FindAllStringSubmatch(string(page), -1)
	if len(found) != 6 {
		t.Fatalf("docs/crds.md has %d examples, want one of each kind in each version", len(found))
	}
	for _, m := range found {
		asked := &unstructured.Unstructured{}
		js, err := yaml.YAMLToJSON([]byte(strings.ReplaceAll(m[1], "namespace: shop", "namespace: default")))
		if err != nil {
			t.Fatal(err)
		}
		if err := asked.UnmarshalJSON(js); err != nil {
			t.Fatal(err)
		}
		stored := asked.DeepCopy()
		if err := admin.Create(t.Context(), stored, client.FieldValidation("Strict"), client.DryRunAll); err != nil {
			t.Errorf("%s: %v", asked.GetKind(), err)
			continue
		}
		keeps(t, asked.GetKind()+".spec", asked.Object["spec"], stored.Object["spec"])
	}
}
