package v1alpha1

import (
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
		"what does not fit":          {"GatiHandler", fieldsTooLarge, "can be written as gati.dev/v1 only"},
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
// hold is still converted: a failure would break every list that contains it.
func TestFieldsThatDoNotFit(t *testing.T) {
	obj := object(t, "gati.dev/v1", "GatiHandler", `{"metadata":{"annotations":{"a":"b"}},"spec":{"path":"/a"}}`)
	obj["spec"].(map[string]any)["schema"] = map[string]any{"input": map[string]any{"title": strings.Repeat("x", maxFields)}}
	got, err := FromV1(obj)
	if err != nil {
		t.Fatal(err)
	}
	want := object(t, "gati.dev/v1alpha1", "GatiHandler", `{"metadata":{"annotations":{"a":"b","gati.dev/v1-fields":"too large"}},"spec":{"handlerPath":"/a"}}`)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if _, err := ToV1(got); err == nil {
		t.Error("ToV1 of an object that lacks fields: want an error")
	}
}

// TestUnknownFieldOfV1 checks that a field of a newer v1 is carried, not lost, and not
// written back by a program that does not know it.
func TestUnknownFieldOfV1(t *testing.T) {
	got, err := FromV1(object(t, "gati.dev/v1", "GatiVersion", `{"spec":{"newer":1}}`))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := ToV1(got); err == nil || !strings.Contains(err.Error(), `"newer" is not a field`) {
		t.Errorf("want the field refused, got %v", err)
	}
}
