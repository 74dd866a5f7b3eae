package api

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"
)

const samples = `
apiVersion: gati.dev/v1alpha1
kind: GatiHandler
metadata: {name: user-handler}
spec:
  handlerPath: /api/users
  version: v1.0.0
  image: my-app:v1.0.0
  resources: {requests: {cpu: 1000m, memory: 128Mi}}
  env: {LOG_LEVEL: debug, A: ""}
  timescape: {breaking: false, routingWeight: 100}
---
apiVersion: gati.dev/v1alpha1
kind: GatiModule
metadata: {name: db-module}
spec: {moduleName: database, moduleType: node, runtime: "node:20", image: "db-module:v1.0.0", capabilities: [network, storage]}
---
apiVersion: gati.dev/v1alpha1
kind: GatiVersion
metadata: {name: user-handler-v1}
spec: {versionId: v1.0.0, breaking: false, routingWeight: 100, transformers: []}
`

// TestApplyInV1alpha1 applies objects of v1alpha1 on the server's side, twice. The second
// time changes nothing, and nothing is carried.
func TestApplyInV1alpha1(t *testing.T) {
	for _, doc := range strings.Split(samples, "\n---\n") {
		obj := parse(t, doc)
		t.Run(obj.GetKind(), func(t *testing.T) {
			first := apply(t, obj, "kubectl")
			second := apply(t, obj, "kubectl")
			if first.GetResourceVersion() != second.GetResourceVersion() {
				t.Errorf("a second apply changed something:\n%s", cmp.Diff(first.Object, second.Object))
			}
			if a := second.GetAnnotations(); len(a) != 0 {
				t.Errorf("want no annotations, got %v", a)
			}
			for name, want := range obj.Object["spec"].(map[string]any) {
				if diff := cmp.Diff(want, second.Object["spec"].(map[string]any)[name]); diff != "" {
					t.Errorf("spec.%s (-want +got):\n%s", name, diff)
				}
			}
		})
	}
}

// TestAmountsWithoutQuotes holds that an amount stays the number that was written, whichever
// version stores and shows it, and that a second apply of it is empty, as kubectl applies on
// the server's side and on its own.
func TestAmountsWithoutQuotes(t *testing.T) {
	docs := map[string]string{
		"v1":       `{apiVersion: gati.dev/v1, kind: GatiHandler, metadata: {name: amounts}, spec: {path: /a, resources: {requests: {cpu: 0.25, memory: 1.5e9}, limits: {cpu: 1, memory: "2e9"}}}}`,
		"v1alpha1": `{apiVersion: gati.dev/v1alpha1, kind: GatiHandler, metadata: {name: amounts}, spec: {handlerPath: /a, resources: {requests: {cpu: 0.25, memory: 1.5e9}, limits: {cpu: 1, memory: "2e9"}}}}`,
	}
	for written, doc := range docs {
		t.Run(written, func(t *testing.T) {
			obj := parse(t, doc)
			obj.SetName("amounts-" + written)
			first := apply(t, obj, "kubectl")
			if second := apply(t, obj, "kubectl"); first.GetResourceVersion() != second.GetResourceVersion() {
				t.Errorf("a second apply changed something:\n%s", cmp.Diff(first.Object, second.Object))
			}
			want, _, _ := unstructured.NestedMap(obj.Object, "spec", "resources")
			for shown := range docs {
				got := get(t, schema.GroupVersionKind{Group: "gati.dev", Version: shown, Kind: "GatiHandler"}, obj.GetName())
				have, _, _ := unstructured.NestedMap(got.Object, "spec", "resources")
				if diff := cmp.Diff(want, have); diff != "" {
					t.Errorf("in %s (-written +shown):\n%s", shown, diff)
				}
				if a := got.GetAnnotations(); len(a) != 0 {
					t.Errorf("in %s: want no annotations, got %v", shown, a)
				}
				// The patch of a client-side apply is a merge of what was written over what is shown.
				patch, _ := json.Marshal(map[string]any{"spec": map[string]any{"resources": want}})
				if err := admin.Patch(t.Context(), got, client.RawPatch(types.MergePatchType, patch)); err != nil {
					t.Fatal(err)
				}
				if got.GetResourceVersion() != first.GetResourceVersion() {
					t.Errorf("in %s: a second client-side apply changed something", shown)
				}
			}
		})
	}
}

// TestTwoVersions lets one person write what only v1 has, and another go on in
// v1alpha1: neither takes anything from the other.
func TestTwoVersions(t *testing.T) {
	older := parse(t, `{apiVersion: gati.dev/v1alpha1, kind: GatiHandler, metadata: {name: shared}, spec: {handlerPath: /a, replicas: 1, env: {A: "1"}}}`)
	newer := parse(t, `{apiVersion: gati.dev/v1, kind: GatiHandler, metadata: {name: shared}, spec: {path: /a, methods: [GET], env: [{name: S, valueFrom: {secretKeyRef: {name: s, key: k}}}], healthCheck: {interval: 20s}}}`)
	apply(t, older, "older")
	apply(t, newer, "newer")
	older = parse(t, `{apiVersion: gati.dev/v1alpha1, kind: GatiHandler, metadata: {name: shared}, spec: {handlerPath: /a, replicas: 2, env: {A: "2"}}}`)
	apply(t, older, "older")

	got := get(t, schema.GroupVersionKind{Group: "gati.dev", Version: "v1", Kind: "GatiHandler"}, "shared")
	spec := got.Object["spec"].(map[string]any)
	want := map[string]any{
		"replicas": int64(2),
		"methods":  []any{"GET"},
		"env": []any{
			map[string]any{"name": "A", "value": "2"},
			map[string]any{"name": "S", "valueFrom": map[string]any{"secretKeyRef": map[string]any{"name": "s", "key": "k"}}},
		},
		"healthCheck": map[string]any{"type": "http", "path": "/health", "interval": "20s", "timeout": "3s", "failureThreshold": int64(3)},
	}
	for name, value := range want {
		if diff := cmp.Diff(value, spec[name]); diff != "" {
			t.Errorf("spec.%s (-want +got):\n%s", name, diff)
		}
	}
}

// TestLargeObjectIsShown stores more in v1 than an annotation holds. v1alpha1
// must list it, since otherwise it could list nothing at all, and not write it.
func TestLargeObjectIsShown(t *testing.T) {
	large := parse(t, `{apiVersion: gati.dev/v1, kind: GatiVersion, metadata: {name: large}, spec: {version: v1}}`)
	large.Object["spec"].(map[string]any)["schema"] = map[string]any{"input": map[string]any{"title": string(bytes.Repeat([]byte("x"), 300<<10))}}
	large.SetNamespace("default")
	if err := admin.Create(t.Context(), large); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := admin.Delete(context.Background(), large); err != nil {
			t.Error(err)
		}
	})
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(schema.GroupVersionKind{Group: "gati.dev", Version: "v1alpha1", Kind: "GatiVersionList"})
	if err := admin.List(t.Context(), list); err != nil {
		t.Fatal(err)
	}
	shown := get(t, schema.GroupVersionKind{Group: "gati.dev", Version: "v1alpha1", Kind: "GatiVersion"}, "large")
	shown.SetLabels(map[string]string{"a": "b"})
	if err := admin.Update(t.Context(), shown); err == nil || !strings.Contains(err.Error(), "gati.dev/v1 only") {
		t.Errorf("want the write refused with the way out, got %v", err)
	}
}

func parse(t *testing.T, doc string) *unstructured.Unstructured {
	t.Helper()
	js, err := yaml.YAMLToJSON([]byte(doc))
	if err != nil {
		t.Fatal(err)
	}
	obj := &unstructured.Unstructured{}
	if err := obj.UnmarshalJSON(js); err != nil {
		t.Fatal(err)
	}
	return obj
}

func apply(t *testing.T, obj *unstructured.Unstructured, manager string) *unstructured.Unstructured {
	t.Helper()
	obj = obj.DeepCopy()
	obj.SetNamespace("default")
	if err := admin.Apply(t.Context(), client.ApplyConfigurationFromUnstructured(obj), client.FieldOwner(manager), client.ForceOwnership); err != nil {
		t.Fatal(err)
	}
	return get(t, obj.GroupVersionKind(), obj.GetName())
}

func get(t *testing.T, gvk schema.GroupVersionKind, name string) *unstructured.Unstructured {
	t.Helper()
	obj := &unstructured.Unstructured{}
	obj.SetGroupVersionKind(gvk)
	if err := admin.Get(t.Context(), client.ObjectKey{Namespace: "default", Name: name}, obj); err != nil {
		t.Fatal(err)
	}
	return obj
}
