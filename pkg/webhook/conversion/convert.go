package conversion

import (
	"context"
	"encoding/json"
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	kjson "sigs.k8s.io/json"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/api/v1alpha1"
)

// converter converts unstructured content from one version to another.
type converter func(map[string]any) (map[string]any, error)

// conversions are the converters by the version they lead to.
var conversions = map[string]converter{
	v1.GroupVersion.String():       v1alpha1.ToV1,
	v1alpha1.GroupVersion.String(): v1alpha1.FromV1,
}

// convertObjects converts every object of a request in order: all of them, or none.
func convertObjects(ctx context.Context, r *sharedRequest) (*apiextensionsv1.ConversionResponse, [][]byte) {
	step, known := conversions[r.DesiredAPIVersion]
	if !known {
		return newFailure(r.UID, fmt.Errorf("desiredAPIVersion: nothing can be converted to %q, only to %s and %s",
			r.DesiredAPIVersion, v1.GroupVersion, v1alpha1.GroupVersion)), nil
	}
	converted := make([][]byte, 0, len(r.Objects))
	for i, object := range r.Objects {
		if err := ctx.Err(); err != nil {
			return newFailure(r.UID, fmt.Errorf("stopped at object %d: %w", i, err)), nil
		}
		raw, err := convertObject(object, r.DesiredAPIVersion, step)
		if err != nil {
			return newFailure(r.UID, fmt.Errorf("object %d: %w", i, err)), nil
		}
		converted = append(converted, raw)
	}
	return newSuccess(r.UID), converted
}

// convertObject converts one object. A panic would end all requests of the
// connection, so it becomes an error of this object.
func convertObject(raw []byte, desired string, step converter) (out []byte, err error) {
	var obj map[string]any
	defer func() {
		if p := recover(); p != nil {
			out, err = nil, fmt.Errorf("%s: conversion failed with an internal error in gati-webhook: %v", describeObject(obj), p)
		}
	}()
	if err := kjson.UnmarshalCaseSensitivePreserveInts(raw, &obj); err != nil {
		return nil, fmt.Errorf("decode: %w", err)
	}
	if version, _ := obj["apiVersion"].(string); version == desired {
		return raw, nil
	}
	converted, err := step(obj)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", describeObject(obj), err)
	}
	if converted["metadata"] == nil {
		// A server-side apply in another version than the last one converts fields without
		// metadata, and the API server requires metadata in the answer.
		converted["metadata"] = map[string]any{}
	}
	out, err = json.Marshal(converted)
	if err != nil {
		return nil, fmt.Errorf("%s: encode: %w", describeObject(obj), err)
	}
	return out, nil
}

// describeObject returns the kind and name of an object that may be incomplete.
func describeObject(obj map[string]any) string {
	kind, _ := obj["kind"].(string)
	metadata, _ := obj["metadata"].(map[string]any)
	name, _ := metadata["name"].(string)
	if name == "" {
		if name, _ = metadata["generateName"].(string); name != "" {
			name += "…"
		}
	}
	if namespace, _ := metadata["namespace"].(string); namespace != "" {
		name = namespace + "/" + name
	}
	return fmt.Sprintf("%s %s", kind, name)
}
