package admit_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/internal/testing/random"
	"gati.dev/gati/pkg/admit"
	"gati.dev/gati/pkg/expand"
	"gati.dev/gati/pkg/facts"
)

var known = facts.Facts{Namespace: "default", NamespaceImage: "shop:v1", HTTPRouteServed: true}

func TestRun(t *testing.T) {
	handler, module := builders.MakeHandler("a").Path("/a").Obj(), builders.MakeModule("m").Obj()
	tests := map[string]struct {
		obj, old client.Object
		facts    facts.Facts

		wantHash     string
		wantChildren int
		wantErrs     []string
		wantWarning  string
	}{
		"a handler":          {obj: handler, facts: known, wantHash: expand.HandlerInputs(&handler.Spec, known), wantChildren: 3},
		"a module":           {obj: module, facts: known, wantHash: expand.ModuleInputs(&module.Spec, known), wantChildren: 4},
		"a record":           {obj: builders.MakeVersion("r").Handler("a").Version("v1").Obj(), facts: known},
		"no image":           {obj: handler, wantErrs: []string{"spec.image"}},
		"no image, a module": {obj: module, wantErrs: []string{"spec.image"}},
		"all faults at once": {obj: builders.MakeHandler("a").Path("a").Port(0).Obj(), wantErrs: []string{"spec.image", "spec.path", "spec.port"}},
		"an old fault is a warning": {obj: builders.MakeHandler("a").Path("/a").Port(0).Replicas(2).Obj(), old: builders.MakeHandler("a").Path("/a").Port(0).Obj(),
			facts: known, wantWarning: "already stored"},
		"an old lack of an image is a warning": {obj: builders.MakeHandler("a").Path("/a").Replicas(2).Obj(), old: builders.MakeHandler("a").Path("/a").Obj(), wantWarning: "spec.image"},
		"a new lack of an image is a fault":    {obj: builders.MakeHandler("a").Path("/a").Obj(), old: builders.MakeHandler("a").Path("/a").Image("app:v1").Obj(), wantErrs: []string{"spec.image"}},
		"another kind":                         {obj: &corev1.ConfigMap{}, wantErrs: []string{"<nil>"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			got := admit.Check(tc.obj, tc.old, admit.Surroundings{Facts: tc.facts})
			var fields []string
			for _, e := range got.Errors {
				fields = append(fields, e.Field)
			}
			slices.Sort(fields)
			if diff := cmp.Diff(tc.wantErrs, fields); diff != "" {
				t.Errorf("errors %v (-want +got):\n%s", got.Errors, diff)
			}
			if got.Hash != tc.wantHash || len(got.Expand(tc.obj)) != tc.wantChildren {
				t.Errorf("hash %q, %d children; want %q, %d", got.Hash, len(got.Expand(tc.obj)), tc.wantHash, tc.wantChildren)
			}
			if !strings.Contains(strings.Join(got.Warnings, "\n"), tc.wantWarning) || tc.wantWarning == "" && len(got.Warnings) > 0 {
				t.Errorf("warnings %q, want %q", got.Warnings, tc.wantWarning)
			}
		})
	}
}

// For any spec, Run is deterministic, changes nothing and returns no plan for an
// invalid object.
func TestRunOnRandomSpecs(t *testing.T) {
	source := random.New(t)
	for range 150 {
		h, m := builders.MakeHandler("a").Obj(), builders.MakeModule("m").Obj()
		old := h.DeepCopy()
		h.Spec, m.Spec, old.Spec = source.HandlerSpec(), source.ModuleSpec(), source.HandlerSpec()
		for _, pair := range [][2]client.Object{{h, nil}, {h, old}, {h, h.DeepCopy()}, {m, nil}} {
			before := encoded(t, pair)
			first, second := admit.Check(pair[0], pair[1], admit.Surroundings{Facts: known}), admit.Check(pair[0], pair[1], admit.Surroundings{Facts: known})
			if len(first.Errors) > 0 && (first.Hash != "" || first.Expand(pair[0]) != nil) {
				t.Fatalf("a plan of what is wrong: %v", first.Errors)
			}
			if diff := cmp.Diff(encoded(t, first.Expand(pair[0])), encoded(t, second.Expand(pair[0]))); diff != "" {
				t.Fatalf("twice, two plans:\n%s", diff)
			}
			if diff := cmp.Diff(encoded(t, first), encoded(t, second)); diff != "" {
				t.Fatalf("twice, two results:\n%s", diff)
			}
			if after := encoded(t, pair); after != before {
				t.Fatalf("the input changed:\n%s", cmp.Diff(before, after))
			}
		}
	}
}

// A stored object with an unchanged spec is never refused.
func TestStoredObjectsStayAcceptable(t *testing.T) {
	source := random.New(t)
	for range 150 {
		h := builders.MakeHandler("a").Obj()
		h.Spec = source.HandlerSpec()
		if got := admit.Check(h, h.DeepCopy(), admit.Surroundings{Facts: known}); len(got.Errors) > 0 {
			t.Fatalf("%v\n%s", got.Errors, encoded(t, h.Spec))
		}
	}
}

func encoded(t *testing.T, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}
