package expand_test

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/builders"
	"gati.dev/gati/internal/testing/random"
	"gati.dev/gati/pkg/defaulting"
	"gati.dev/gati/pkg/expand"
	"gati.dev/gati/pkg/facts"
)

// Whether a field of a spec goes into the hash of the inputs. A field that
// becomes part of the pods must; any other must not, or changing it would cut a
// revision for nothing.
var (
	handlerFields = map[string]bool{
		"version": true, "image": true, "port": true, "env": true, "envFrom": true, "resources": true,
		"healthCheck": true, "pod": true, "modules": true,
		"path": false, "methods": false, "replicas": false, "autoscaling": false, "rollout": false, "contract": false,
		"timescape": false, "route": false, "versions": false, "schema": false,
	}
	moduleFields = map[string]bool{
		"type": true, "moduleName": true, "runtime": true, "image": true, "port": true, "env": true,
		"resources": true, "healthCheck": true, "pod": true, "config": true, "capabilities": true,
		"replicas": false, "autoscaling": false, "rollout": false,
	}
)

// TestHandlerInputsByField changes every field in turn. A new field fails until it
// is classified above.
func TestHandlerInputsByField(t *testing.T) {
	byField(t, handlerFields, builders.MakeHandler("a").Obj().Spec, (*v1.GatiHandlerSpec).SetDefaults,
		func(s *v1.GatiHandlerSpec) string { return expand.HandlerInputs(s, facts.Facts{}) })
}

func TestModuleInputsByField(t *testing.T) {
	byField(t, moduleFields, builders.MakeModule("a").Obj().Spec, (*v1.GatiModuleSpec).SetDefaults,
		func(s *v1.GatiModuleSpec) string { return expand.ModuleInputs(s, facts.Facts{}) })
}

func byField[S any](t *testing.T, classified map[string]bool, base S, setDefaults func(*S), hash func(*S) string) {
	names := fieldNames(reflect.TypeFor[S]())
	if diff := cmp.Diff(slices.Sorted(maps.Keys(classified)), names); diff != "" {
		t.Fatalf("the fields of the spec are not those that are classified (-classified +spec):\n%s", diff)
	}
	meaning := func(s S) string {
		setDefaults(&s)
		var fields map[string]json.RawMessage
		if err := json.Unmarshal([]byte(encoded(t, s)), &fields); err != nil {
			t.Fatal(err)
		}
		maps.DeleteFunc(fields, func(_ string, v json.RawMessage) bool { return string(v) == "{}" || string(v) == "[]" })
		return encoded(t, fields)
	}
	before, was := hash(&base), meaning(base)
	for i := range reflect.TypeFor[S]().NumField() {
		name := jsonName(reflect.TypeFor[S]().Field(i))
		t.Run(name, func(t *testing.T) {
			source, changes := random.New(t), 0
			for range 100 {
				changed := base
				source.Fill(reflect.ValueOf(&changed).Elem().Field(i).Addr().Interface())
				differs := meaning(deepCopy(t, changed)) != was
				if differs {
					changes++
				}
				got := hash(&changed) != before
				if want := differs && classified[name]; got != want {
					t.Fatalf("the hash changes: %v, want %v, with %s", got, want, encoded(t, changed))
				}
			}
			if changes == 0 {
				t.Fatal("no change was tried")
			}
		})
	}
}

func deepCopy[S any](t *testing.T, s S) S {
	t.Helper()
	switch v := any(&s).(type) {
	case *v1.GatiHandlerSpec:
		return any(*v.DeepCopy()).(S)
	case *v1.GatiModuleSpec:
		return any(*v.DeepCopy()).(S)
	}
	t.Fatalf("%T is no spec", s)
	return s
}

func fieldNames(t reflect.Type) []string {
	var out []string
	for i := range t.NumField() {
		out = append(out, jsonName(t.Field(i)))
	}
	slices.Sort(out)
	return out
}

func jsonName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}

func TestHandlerInputs(t *testing.T) {
	base := func() *builders.Handler { return builders.MakeHandler("a").Image("app:v1") }
	resources := func(cpu string) v1.Resources {
		return v1.Resources{Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu)}}
	}
	fileKey := func(optional *bool) func(*v1.GatiHandlerSpec) {
		return func(s *v1.GatiHandlerSpec) {
			s.Env = []corev1.EnvVar{{Name: "A", ValueFrom: &corev1.EnvVarSource{FileKeyRef: &corev1.FileKeySelector{VolumeName: "v", Path: "p", Key: "k", Optional: optional}}}}
		}
	}
	tests := map[string]struct {
		a, b      *builders.Handler
		namespace string
		wantSame  bool
	}{
		"every static default named":       {base(), base().Default(), "", true},
		"the default port named":           {base(), base().Port(3000), "", true},
		"another port":                     {base(), base().Port(3001), "", false},
		"half of a health check":           {base(), base().Spec(func(s *v1.GatiHandlerSpec) { s.HealthCheck = &v1.HealthCheck{Interval: "10s"} }), "", true},
		"another interval":                 {base(), base().Spec(func(s *v1.GatiHandlerSpec) { s.HealthCheck = &v1.HealthCheck{Interval: "11s"} }), "", false},
		"nothing, said with empty objects": {base(), base().Pod(v1.PodSettings{}).Resources(v1.Resources{}).Modules(), "", true},
		"quantities in another form":       {base().Resources(resources("0.5")), base().Resources(resources("500m")), "", true},
		"another quantity":                 {base().Resources(resources("1")), base().Resources(resources("500m")), "", false},
		"variables in another order":       {base().Env("A", "1").Env("B", "2"), base().Env("B", "2").Env("A", "1"), "", false},
		"modules in another order":         {base().Modules("a", "b"), base().Modules("b", "a"), "", true},
		"the version said outright":        {base(), base().Version("v1"), "", false},
		"the namespace's image named":      {builders.MakeHandler("a"), base(), "app:v1", true},
		"the namespace's image overruled":  {builders.MakeHandler("a"), base(), "app:v2", false},
		"a default inside of a variable":   {base().Spec(fileKey(nil)), base().Spec(fileKey(ptr(false))), "", true},
		"what is no default of a variable": {base().Spec(fileKey(nil)), base().Spec(fileKey(ptr(true))), "", false},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			f := facts.Facts{NamespaceImage: tc.namespace}
			a, b := expand.HandlerInputs(&tc.a.Obj().Spec, f), expand.HandlerInputs(&tc.b.Obj().Spec, f)
			if (a == b) != tc.wantSame {
				t.Errorf("hashes %s and %s; want the same: %v", a, b, tc.wantSame)
			}
		})
	}
}

// What has the same hash has the same template: a revision stands for all inputs
// of its hash.
func TestSameInputsSameTemplate(t *testing.T) {
	source := random.New(t)
	for i := range 300 {
		a := builders.MakeHandler("a").Obj()
		a.Spec = source.HandlerSpec()
		b := a.DeepCopy()
		b.Spec.SetDefaults()
		emptied(&b.Spec)
		slices.Reverse(b.Spec.Modules)
		ra, rb := revisionOf(t, a), revisionOf(t, b)
		if ra.Inputs != rb.Inputs {
			t.Fatalf("spec %d: hashes %s and %s for\n%s\n%s", i, ra.Inputs, rb.Inputs, encoded(t, a.Spec), encoded(t, b.Spec))
		}
		if diff := cmp.Diff(encoded(t, ra), encoded(t, rb)); diff != "" {
			t.Fatalf("spec %d: one hash, two templates:\n%s", i, diff)
		}
	}
}

// The other way round, the hash leaves out nothing that a template is made of.
func TestDifferentTemplatesDifferentInputs(t *testing.T) {
	source, seen := random.New(t), map[string]string{}
	for range 500 {
		h := builders.MakeHandler("a").Obj()
		h.Spec = source.HandlerSpec()
		r := revisionOf(t, h)
		body := encoded(t, r)
		if other, ok := seen[r.Inputs]; ok && other != body {
			t.Fatalf("one hash, two templates:\n%s", cmp.Diff(other, body))
		}
		seen[r.Inputs] = body
	}
}

func TestHashingLeavesTheSpecAlone(t *testing.T) {
	source := random.New(t)
	for range 200 {
		handler, module := source.HandlerSpec(), source.ModuleSpec()
		before := encoded(t, handler) + encoded(t, module)
		first := expand.HandlerInputs(&handler, cluster) + expand.ModuleInputs(&module, cluster)
		if after := encoded(t, handler) + encoded(t, module); after != before {
			t.Fatalf("changed:\n%s", cmp.Diff(before, after))
		}
		if second := expand.HandlerInputs(&handler, cluster) + expand.ModuleInputs(&module, cluster); second != first {
			t.Fatalf("%s, then %s", first, second)
		}
	}
}

// emptied writes empty lists and maps where there are none.
func emptied(s *v1.GatiHandlerSpec) {
	if s.Pod == nil {
		s.Pod = &v1.PodSettings{}
	}
	v := reflect.ValueOf(s.Pod).Elem()
	for i := range v.NumField() {
		switch f := v.Field(i); {
		case f.Kind() == reflect.Map && f.IsNil():
			f.Set(reflect.MakeMap(f.Type()))
		case f.Kind() == reflect.Slice && f.IsNil():
			f.Set(reflect.MakeSlice(f.Type(), 0, 0))
		}
	}
}

func revisionOf(t *testing.T, h *v1.GatiHandler) expand.Revision {
	t.Helper()
	resolved, errs := defaulting.ResolveHandler(&h.Spec, cluster)
	if len(errs) > 0 {
		t.Fatal(errs.ToAggregate())
	}
	return expand.NewHandlerRevision(h, resolved, expand.HandlerInputs(&h.Spec, cluster), 1, nil)
}
