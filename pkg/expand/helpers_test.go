package expand_test

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/defaulting"
	"gati.dev/gati/pkg/expand"
	"gati.dev/gati/pkg/facts"
)

var update = flag.Bool("update", false, "write the golden files anew")

// cluster are the circumstances under which the tests expand.
var cluster = facts.Facts{
	Namespace: "default", NamespaceImage: "registry.example.com/shop:v7", HTTPRouteServed: true,
	RuntimeClasses: map[string]string{"wasmtime": "wasmtime-spin"},
}

// planHandler expands a handler as if nothing were there yet.
func planHandler(t testing.TB, h *v1.GatiHandler) expand.Plan {
	t.Helper()
	resolved, errs := defaulting.ResolveHandler(&h.Spec, cluster)
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	return expand.HandlerAlone(h, resolved, cut(t, h), nil, nil)
}

// cut returns the first revision of a handler or module.
func cut(t testing.TB, o client.Object) expand.Revision {
	t.Helper()
	switch o := o.(type) {
	case *v1.GatiHandler:
		resolved, _ := defaulting.ResolveHandler(&o.Spec, cluster)
		return expand.NewHandlerRevision(o, resolved, expand.HandlerInputs(&o.Spec, cluster), 1, nil)
	case *v1.GatiModule:
		resolved, _ := defaulting.ResolveModule(o.Name, &o.Spec, cluster)
		return expand.NewModuleRevision(o, resolved, expand.ModuleInputs(&o.Spec, cluster), nil)
	}
	t.Fatalf("%T has no revision", o)
	return expand.Revision{}
}

// planModule expands a module as if nothing were there yet.
func planModule(t testing.TB, m *v1.GatiModule) expand.Plan {
	t.Helper()
	resolved, errs := defaulting.ResolveModule(m.Name, &m.Spec, cluster)
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	return expand.Module(m, resolved, cut(t, m), nil, []int32{*resolved.Spec.Port}, nil)
}

// find returns the one object of a type in a plan.
func find[T client.Object](t testing.TB, plan expand.Plan) T {
	t.Helper()
	for _, o := range plan.Objects {
		if typed, ok := o.(T); ok {
			return typed
		}
	}
	var none T
	t.Fatalf("the plan has no %T", none)
	return none
}

func container(t testing.TB, plan expand.Plan) corev1.Container {
	t.Helper()
	return find[*appsv1.Deployment](t, plan).Spec.Template.Spec.Containers[0]
}

// text is a plan as people read it, without what only the API server writes.
func text(t testing.TB, objects []client.Object) string {
	t.Helper()
	var docs []string
	for _, o := range objects {
		content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(o)
		if err != nil {
			t.Fatal(err)
		}
		delete(content, "status")
		raw, err := yaml.Marshal(withoutNulls(content))
		if err != nil {
			t.Fatal(err)
		}
		docs = append(docs, string(raw))
	}
	return strings.Join(docs, "---\n")
}

func withoutNulls(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for key, item := range v {
			if item == nil {
				delete(v, key)
				continue
			}
			withoutNulls(item)
		}
	case []any:
		for _, item := range v {
			withoutNulls(item)
		}
	}
	return value
}

// golden compares text with a file of testdata, or writes the file.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".golden.yaml")
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; go test ./pkg/expand -update writes it", err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s\nIf it is meant, go test ./pkg/expand -update writes it anew.", path, diff)
	}
}

func encoded(t testing.TB, v any) string {
	t.Helper()
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

func ptr[T any](v T) *T { return &v }
