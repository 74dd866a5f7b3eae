package v1alpha1

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestToV1RefusesForgedAnnotation checks that an invalid annotation is refused with its
// name and a remedy.
func TestToV1RefusesForgedAnnotation(t *testing.T) {
	deep := `{"schema":{"input":` + strings.Repeat(`{"not":`, 200) + `{}` + strings.Repeat(`}`, 200) + `}}`
	tests := map[string]struct {
		kind  string
		value any
		want  string
	}{
		"no JSON":                    {"GatiHandler", `{`, "unexpected end"},
		"empty":                      {"GatiHandler", ``, "unexpected end"},
		"not an object":              {"GatiHandler", `[]`, "want a JSON object of fields, got array"},
		"null":                       {"GatiHandler", `null`, "want a JSON object"},
		"more after the object":      {"GatiHandler", `{} {}`, "after top-level value"},
		"not a string":               {"GatiHandler", int64(7), "want a string, got a number"},
		"an unknown field":           {"GatiHandler", `{"nope":1}`, `"nope" is not a field`},
		"a visible field":            {"GatiHandler", `{"image":"evil"}`, `"image" is not a field`},
		"a visible field, v1's name": {"GatiHandler", `{"path":"/evil"}`, `"path" is not a field`},
		"a field of another kind":    {"GatiVersion", `{"rollout":{}}`, `"rollout" is not a field`},
		"another case":               {"GatiHandler", `{"Rollout":{}}`, `"Rollout" is not a field`},
		"a field twice":              {"GatiHandler", `{"pod":{},"pod":{}}`, "duplicate field"},
		"an unknown nested field":    {"GatiHandler", `{"pod":{"hostNetwork":true}}`, `unknown field "pod.hostNetwork"`},
		"a wrong type":               {"GatiHandler", `{"methods":"GET"}`, "methods has the wrong type, string"},
		"a wrong nested type":        {"GatiModule", `{"config":{"a":1}}`, "config has the wrong type, number"},
		"a faulty quantity":          {"GatiHandler", `{"pod":{"volumes":[{"name":"v","emptyDir":{"sizeLimit":"x"}}]}}`, "quantities must match"},
		"a faulty time":              {"GatiVersion", `{"timestamp":"yesterday"}`, "cannot parse"},
		"env as an object":           {"GatiHandler", `{"env":{"A":"1"}}`, "env has the wrong type, object"},
		"a null entry of env":        {"GatiHandler", `{"env":[null]}`, "[0]: want an object, got null"},
		"too deep":                   {"GatiHandler", deep, "nested deeper than 128 levels"},
		"too large":                  {"GatiHandler", `{"methods":["` + strings.Repeat("A", maxFields) + `"]}`, "more than the 262144"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			obj := object(t, "gati.dev/v1alpha1", tc.kind, `{"spec":{}}`)
			obj["metadata"] = map[string]any{"annotations": map[string]any{FieldsAnnotation: tc.value}}
			got, err := ToV1(obj)
			if err == nil {
				t.Fatalf("want an error, got %v", got)
			}
			for _, want := range []string{"metadata.annotations[gati.dev/v1-fields]", tc.want} {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("want %q in %q", want, err)
				}
			}
		})
	}
}

// TestWrongTypes checks that types which no schema admits are refused with their path.
func TestWrongTypes(t *testing.T) {
	tests := map[string]struct{ version, kind, text, want string }{
		"unknown kind":         {"gati.dev/v1alpha1", "Pod", `{}`, `kind: "Pod" is not a kind`},
		"other version":        {"gati.dev/v2", "GatiHandler", `{}`, `apiVersion: want gati.dev/v1alpha1`},
		"metadata":             {"gati.dev/v1alpha1", "GatiHandler", `{"metadata":"x"}`, "metadata: want an object, got a string"},
		"annotations":          {"gati.dev/v1alpha1", "GatiHandler", `{"metadata":{"annotations":[]}}`, "metadata.annotations: want an object, got a list"},
		"spec":                 {"gati.dev/v1alpha1", "GatiHandler", `{"spec":true}`, "spec: want an object, got a boolean"},
		"unknown field":        {"gati.dev/v1alpha1", "GatiHandler", `{"spec":{"path":"/a"}}`, "spec.path: gati.dev/v1alpha1 has no such field"},
		"env":                  {"gati.dev/v1alpha1", "GatiHandler", `{"spec":{"env":[]}}`, "spec.env: want an object, got a list"},
		"env value":            {"gati.dev/v1alpha1", "GatiModule", `{"spec":{"env":{"A":1.5}}}`, "spec.env[A]: want a string, got a number"},
		"transformers":         {"gati.dev/v1alpha1", "GatiVersion", `{"spec":{"transformers":{}}}`, "spec.transformers: want a list, got an object"},
		"transformers entry":   {"gati.dev/v1alpha1", "GatiVersion", `{"spec":{"transformers":["a",1]}}`, "spec.transformers[1]: want a string, got a number"},
		"v1 env":               {"gati.dev/v1", "GatiHandler", `{"spec":{"env":{}}}`, "spec.env: want a list, got an object"},
		"v1 env entry":         {"gati.dev/v1", "GatiHandler", `{"spec":{"env":[{"name":"A"},"B"]}}`, "spec.env[1]: want an object, got a string"},
		"v1 transformers":      {"gati.dev/v1", "GatiVersion", `{"spec":{"transformers":"a"}}`, "spec.transformers: want a list, got a string"},
		"v1 transformer entry": {"gati.dev/v1", "GatiVersion", `{"spec":{"transformers":["a"]}}`, "spec.transformers[0]: want an object, got a string"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			convert := ToV1
			if tc.version == "gati.dev/v1" {
				convert = FromV1
			}
			got, err := convert(object(t, tc.version, tc.kind, tc.text))
			if err == nil {
				t.Fatalf("want an error, got %v", got)
			}
			if !strings.Contains(err.Error(), tc.want) {
				t.Errorf("want %q in %q", tc.want, err)
			}
		})
	}
}

// TestFieldsThatDoNotFit checks that an object with more fields than the annotation can
// hold is still converted, whatever its annotations have left: a failure, or one byte more
// than the API server takes, would break every list that contains it. What is shown without
// fields cannot be written back.
func TestFieldsThatDoNotFit(t *testing.T) {
	for _, annotations := range []int{0, maxFields / 2, maxFields - len(FieldsAnnotation) - 3, maxFields - len(FieldsAnnotation) - 2, maxFields - 1, maxFields} {
		for _, size := range []int{0, 1, maxFields / 2, maxFields} {
			obj := object(t, "gati.dev/v1", "GatiHandler", `{"metadata":{"labels":{"a":"b"}},"spec":{"path":"/a"}}`)
			if annotations > 0 {
				obj["metadata"].(map[string]any)["annotations"] = map[string]any{"a": strings.Repeat("x", annotations-1)}
			}
			obj["spec"].(map[string]any)["schema"] = map[string]any{"input": map[string]any{"title": strings.Repeat("x", size)}}
			assertFits(t, fmt.Sprintf("annotations of %d bytes, a field of %d", annotations, size), obj)
		}
	}
}

// assertFits checks that an object of v1 is shown within the API server's limits, whole or
// marked, and that only the whole one can be written back.
func assertFits(t *testing.T, name string, obj map[string]any) {
	t.Helper()
	shown, err := FromV1(obj)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	metadata := shown["metadata"].(map[string]any)
	if annotations, _ := metadata["annotations"].(map[string]any); sizeOf(annotations) > maxFields {
		t.Errorf("%s: shown with %d bytes of annotations, more than %d", name, sizeOf(annotations), maxFields)
	}
	back, err := ToV1(shown)
	if metadata["labels"].(map[string]any)[FieldsLabel] != nil {
		if err == nil || !strings.Contains(err.Error(), "metadata.labels[gati.dev/v1-fields]: the object has more fields of gati.dev/v1 than an annotation can hold") {
			t.Errorf("%s: written back without fields: %v", name, err)
		}
		return
	}
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if diff := cmp.Diff(obj, back); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}
