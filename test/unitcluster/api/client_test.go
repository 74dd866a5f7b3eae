package api

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"
)

// typed returns a client of the shared API server for the kinds of a scheme.
func typed(t *testing.T, scheme *runtime.Scheme) client.Client {
	t.Helper()
	c, err := client.New(config, client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// object reads an object of v1 from YAML: its spec, and its name unless it is a.
func object(t *testing.T, kind, spec string) *unstructured.Unstructured {
	t.Helper()
	obj := &unstructured.Unstructured{}
	js, err := yaml.YAMLToJSON([]byte("apiVersion: gati.dev/v1\nkind: " + kind + "\nmetadata: {namespace: default, generateName: a-}\n" + spec))
	if err != nil {
		t.Fatalf("%v:\n%s", err, spec)
	}
	if err := obj.UnmarshalJSON(js); err != nil {
		t.Fatalf("%v:\n%s", err, js)
	}
	return obj
}
