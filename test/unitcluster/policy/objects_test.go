package policy

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	v1 "gati.dev/gati/api/v1"
)

var dryRun = client.DryRunAll

// makeObject reads an object from its kind and the YAML of its spec.
func makeObject(version, kind, namespace, name, spec string) *unstructured.Unstructured {
	o := &unstructured.Unstructured{Object: map[string]any{}}
	js, err := yaml.YAMLToJSON([]byte(spec))
	if err != nil {
		panic(fmt.Sprintf("%v in:\n%s", err, spec))
	}
	o.SetAPIVersion("gati.dev/" + version)
	o.SetKind(kind)
	o.SetNamespace(namespace)
	o.SetName(name)
	var parsed map[string]any
	if err := json.Unmarshal(js, &parsed); err != nil {
		panic(err)
	}
	o.Object["spec"] = parsed
	return o
}

func makeHandler(version, namespace, name, spec string) *unstructured.Unstructured {
	return makeObject(version, "GatiHandler", namespace, name, spec)
}

// plainSpec returns the spec of a handler that asks for nothing.
func plainSpec(version string) string {
	if version == "v1alpha1" {
		return "{handlerPath: /a, image: 'app:v1'}"
	}
	return "{path: /a, image: 'app:v1'}"
}

// nthUUID returns the n-th of the UUIDs that the tests use.
func nthUUID(n int) string { return fmt.Sprintf("3f8e2a52-5b0c-4f57-9d0e-%012x", n) }

// patchRequest makes a request as kubectl annotate does; empty values remove.
func patchRequest(ctx context.Context, c client.Client, version, namespace, name, req, by string, o ...client.PatchOption) error {
	annotations := map[string]any{v1.AnnotationRequest: req, v1.AnnotationRequestedBy: by}
	for k, v := range annotations {
		if v == "" {
			annotations[k] = nil
		}
	}
	return mergeMeta(ctx, c, version, namespace, name, annotations, o...)
}

// mergeMeta merges annotations into a handler.
func mergeMeta(ctx context.Context, c client.Client, version, namespace, name string, annotations map[string]any, o ...client.PatchOption) error {
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"annotations": annotations}})
	if err != nil {
		return err
	}
	h := &unstructured.Unstructured{}
	h.SetAPIVersion("gati.dev/" + version)
	h.SetKind("GatiHandler")
	h.SetNamespace(namespace)
	h.SetName(name)
	return c.Patch(ctx, h, client.RawPatch(types.MergePatchType, patch), o...)
}

// describeOutcome tells how a write went, on one line.
func describeOutcome(err error) string {
	if err == nil {
		return "admitted"
	}
	return strings.ReplaceAll(err.Error(), "\n", `\n`)
}
