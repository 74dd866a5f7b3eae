package v1alpha1

import (
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	kjson "sigs.k8s.io/json"
	"sigs.k8s.io/randfill"

	"gati.dev/gati/internal/testing/seeds"
)

// FuzzToV1 feeds any JSON to ToV1. An accepted object must come back with the same
// visible fields, and be stable from then on.
func FuzzToV1(f *testing.F) {
	for _, kind := range []string{"GatiHandler", "GatiModule", "GatiVersion"} {
		f.Add(kind, `{"metadata":{"name":"a","annotations":{"gati.dev/v1-fields":"{\"env\":[{\"name\":\"A\"}],\"healthCheck\":null}"}},"spec":{"env":{"A":"1"}}}`)
		f.Add(kind, `{"metadata":{"annotations":{"gati.dev/v1-fields":"{\"transformers\":[{\"from\":\"v1\"},{\"name\":\"a\"}]}"}},"spec":{"transformers":["b"]}}`)
		f.Add(kind, `{"spec":{"env":null,"transformers":[null],"handlerPath":7},"status":[]}`)
	}
	for _, o := range seeds.Objects(f, "../..") {
		f.Add(o.Kind, string(o.JSON))
	}
	f.Fuzz(func(t *testing.T, kind, text string) {
		obj, ok := anyObject(kind, "gati.dev/v1alpha1", text)
		if !ok {
			return
		}
		up, err := ToV1(obj)
		if err != nil {
			return
		}
		down, err := FromV1(up)
		if err != nil {
			t.Fatalf("FromV1 refuses what ToV1 gave: %v\n%v", err, up)
		}
		if diff := cmp.Diff(visibleOf(obj), visibleOf(down)); diff != "" {
			t.Fatalf("visible fields (-want +got):\n%s", diff)
		}
		again, err := ToV1(down)
		if err != nil {
			t.Fatalf("ToV1 refuses what FromV1 gave: %v\n%v", err, down)
		}
		if diff := cmp.Diff(withoutNulls(up), withoutNulls(again)); diff != "" {
			t.Fatalf("second conversion (-want +got):\n%s", diff)
		}
	})
}

// FuzzFromV1 feeds any JSON to FromV1. An accepted object must come back whole, or be
// refused by ToV1 because of the annotation.
func FuzzFromV1(f *testing.F) {
	for _, kind := range []string{"GatiHandler", "GatiModule", "GatiVersion"} {
		f.Add(kind, `{"metadata":{"annotations":{"a":"b","gati.dev/v1-fields":"forged"}},"spec":{"env":[{"name":"B","value":""},{"name":"A","valueFrom":{}},{}],"rollout":{}}}`)
		f.Add(kind, `{"spec":{"transformers":[{"name":"a"},{"from":"v1","to":"v2"}],"tags":[],"newer":1}}`)
		f.Add(kind, `{"spec":{"env":[],"healthCheck":null,"schema":{"input":{"minimum":1e999}}}}`)
	}
	for _, o := range seeds.Objects(f, "../..") {
		f.Add(o.Kind, string(o.JSON))
	}
	f.Fuzz(func(t *testing.T, kind, text string) {
		obj, ok := anyObject(kind, "gati.dev/v1", text)
		if !ok {
			return
		}
		down, err := FromV1(obj)
		if err != nil {
			return
		}
		up, err := ToV1(down)
		if err != nil {
			if !strings.Contains(err.Error(), FieldsAnnotation) {
				t.Fatalf("ToV1 refuses what FromV1 gave: %v\n%v", err, down)
			}
			return
		}
		if diff := cmp.Diff(withoutNulls(obj), withoutNulls(up)); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
	})
}

// FuzzTyped fills typed objects of each kind and version from the fuzzer's bytes. Each
// has to come back unchanged.
func FuzzTyped(f *testing.F) {
	for which := range len(newerKinds) {
		for _, seed := range []string{"", "a", "gati", "a long row of bytes that decide", strings.Repeat("\x00\xff\x7f", 300)} {
			f.Add(uint8(which), []byte(seed))
		}
	}
	f.Fuzz(func(t *testing.T, which uint8, bytes []byte) {
		kind := int(which) % len(newerKinds)
		newer := randomOf(randfill.NewFromGoFuzz(bytes)).object(t, "gati.dev/v1", newerKinds[kind]())
		if diff := thereAndBack(t, newer, FromV1, ToV1); diff != "" {
			t.Errorf("from v1 (-want +got):\n%s", diff)
		}
		older := randomOf(randfill.NewFromGoFuzz(bytes)).object(t, "gati.dev/v1alpha1", olderKinds[kind]())
		if diff := thereAndBack(t, older, ToV1, FromV1); diff != "" {
			t.Errorf("from v1alpha1 (-want +got):\n%s", diff)
		}
	})
}

// anyObject decodes a text like the API server, if it is an object.
func anyObject(kind, apiVersion, text string) (map[string]any, bool) {
	var obj map[string]any
	if err := kjson.UnmarshalCaseSensitivePreserveInts([]byte(text), &obj); err != nil || obj == nil {
		return nil, false
	}
	obj["kind"], obj["apiVersion"] = kind, apiVersion
	return obj, true
}

// withoutNulls returns an object without parts that conversion may drop because they
// have no meaning: null fields of the spec (the API server stores none), empty
// annotations, and FieldsAnnotation on v1.
func withoutNulls(obj map[string]any) map[string]any {
	obj = maps.Clone(obj)
	if _, _, err := takeFields(obj); err != nil {
		return obj
	}
	if metadata, ok := obj["metadata"].(map[string]any); ok {
		metadata = maps.Clone(metadata)
		for _, name := range []string{"annotations", "labels"} {
			if entries, _ := metadata[name].(map[string]any); len(entries) == 0 {
				delete(metadata, name)
			}
		}
		obj["metadata"] = metadata
	}
	if metadata, _ := obj["metadata"].(map[string]any); len(metadata) == 0 {
		delete(obj, "metadata")
	}
	if spec, ok := obj["spec"].(map[string]any); ok {
		spec = maps.Clone(spec)
		maps.DeleteFunc(spec, func(_ string, value any) bool { return value == nil })
		obj["spec"] = spec
	}
	return obj
}
