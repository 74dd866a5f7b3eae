package v1alpha1

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/crdtest"
)

// TestDefaultsAgreeWithV1 checks that an object gets the same defaults whether it is
// sent as v1alpha1 or as v1, and that conversion adds nothing beyond v1's CRD.
func TestDefaultsAgreeWithV1(t *testing.T) {
	tests := map[string]struct{ kind, spec string }{
		"handler":             {"GatiHandler", `{"handlerPath":"/a"}`},
		"handler, port alone": {"GatiHandler", `{"handlerPath":"/a","port":1,"replicas":0}`},
		"module":              {"GatiModule", `{"moduleType":"node"}`},
		"version":             {"GatiVersion", `{}`},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			older, newer := crdtest.Load(t, tc.kind, "v1alpha1"), crdtest.Load(t, tc.kind, "v1")

			defaulted := object(t, "gati.dev/v1alpha1", tc.kind, `{"metadata":{"name":"a"},"spec":`+tc.spec+`}`)
			older.Default(defaulted)
			got, err := ToV1(defaulted)
			if err != nil {
				t.Fatal(err)
			}

			want, err := ToV1(object(t, "gati.dev/v1alpha1", tc.kind, `{"metadata":{"name":"a"},"spec":`+tc.spec+`}`))
			if err != nil {
				t.Fatal(err)
			}
			spec := want["spec"].(map[string]any)
			for name := range kinds()[tc.kind].defaults {
				delete(spec, name)
			}
			newer.Default(want)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("defaults of v1alpha1 and v1 differ (-v1 +v1alpha1):\n%s", diff)
			}
			back, err := FromV1(want)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(defaulted, back); diff != "" {
				t.Errorf("a defaulted object of v1 needs the annotation (-want +got):\n%s", diff)
			}
		})
	}
}

// TestCarriableFields checks that conversion knows every field of v1's spec: as
// visible, carried, or both.
func TestCarriableFields(t *testing.T) {
	for name, k := range kinds() {
		t.Run(name, func(t *testing.T) {
			seen := map[string]bool{}
			for _, f := range k.fields {
				seen[f.new] = true
			}
			for _, f := range k.carriable {
				if seen[f] && k.lists[f] == nil {
					t.Errorf("%s is visible as a whole, and must not be carried", f)
				}
				seen[f] = true
			}
			obj := map[string]any{"apiVersion": v1.GroupVersion.String(), "kind": name, "metadata": map[string]any{}, "spec": map[string]any{}}
			for f := range seen {
				obj["spec"].(map[string]any)[f] = "x"
			}
			crdtest.Load(t, name, "v1").Prune(obj)
			if diff := cmp.Diff(len(seen), len(obj["spec"].(map[string]any))); diff != "" {
				t.Errorf("fields known to conversion and to the CRD of v1 (-want +got):\n%s", diff)
			}
			for _, f := range crdtest.Load(t, name, "v1").SpecFields() {
				if !seen[f] {
					t.Errorf("conversion does not know the field %s of v1", f)
				}
			}
			for _, f := range crdtest.Load(t, name, "v1alpha1").SpecFields() {
				if !k.visible[f] {
					t.Errorf("conversion does not know the field %s of v1alpha1", f)
				}
			}
		})
	}
}
