package api

import (
	"os"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"gati.dev/gati/test/support/apiserver"
)

// TestCRDsAreEstablished checks that the API server took the CRDs with every CEL
// rule compiled and within its cost limits, and has no complaint of the schema.
func TestCRDsAreEstablished(t *testing.T) {
	// go test keeps a result until a variable that a test read has another value.
	// What TestMain reads does not count, so it is read here once more.
	t.Log("binaries of", os.Getenv(apiserver.AssetsVariable))

	scheme := runtime.NewScheme()
	if err := apiextensionsv1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	crds, err := apiserver.CRDs()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range crds {
		t.Run(want.Name, func(t *testing.T) {
			got := &apiextensionsv1.CustomResourceDefinition{}
			reader := typed(t, scheme)
			if err := reader.Get(t.Context(), client.ObjectKeyFromObject(want), got); err != nil {
				t.Fatal(err)
			}
			conditions := map[apiextensionsv1.CustomResourceDefinitionConditionType]apiextensionsv1.ConditionStatus{}
			for _, c := range got.Status.Conditions {
				conditions[c.Type] = c.Status
			}
			for _, condition := range []apiextensionsv1.CustomResourceDefinitionConditionType{apiextensionsv1.Established, apiextensionsv1.NamesAccepted} {
				if conditions[condition] != apiextensionsv1.ConditionTrue {
					t.Errorf("%s: want True, got %q", condition, conditions[condition])
				}
			}
			if conditions[apiextensionsv1.NonStructuralSchema] == apiextensionsv1.ConditionTrue {
				t.Error("the schema is not structural")
			}
		})
	}
}

// TestDescriptions checks that kubectl explain has something to say of each
// field in the two levels that are ours.
func TestDescriptions(t *testing.T) {
	crds, err := apiserver.CRDs()
	if err != nil {
		t.Fatal(err)
	}
	for _, crd := range crds {
		for _, version := range crd.Spec.Versions {
			t.Run(crd.Spec.Names.Kind+" "+version.Name, func(t *testing.T) {
				root := version.Schema.OpenAPIV3Schema
				if root.Description == "" {
					t.Error("the kind has no description")
				}
				for _, top := range []string{"spec", "status"} {
					described(t, top, root.Properties[top], 3)
				}
			})
		}
	}
}

// described fails on fields without a description, down to a depth.
func described(t *testing.T, path string, schema apiextensionsv1.JSONSchemaProps, depth int) {
	if schema.Description == "" {
		t.Errorf("%s has no description", path)
	}
	if depth == 1 {
		return
	}
	if schema.Items != nil && schema.Items.Schema != nil {
		schema.Properties = schema.Items.Schema.Properties
	}
	for name, property := range schema.Properties {
		described(t, path+"."+name, property, depth-1)
	}
}
