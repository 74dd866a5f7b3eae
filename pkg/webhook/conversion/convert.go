package conversion

import (
	"context"
	"encoding/json"
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
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

// convertObjects converts every object of a request in order.
func convertObjects(ctx context.Context, request *apiextensionsv1.ConversionRequest) *apiextensionsv1.ConversionResponse {
	step, known := conversions[request.DesiredAPIVersion]
	if !known {
		return newFailure(request.UID, fmt.Errorf("desiredAPIVersion: nothing can be converted to %q, only to %s and %s",
			request.DesiredAPIVersion, v1.GroupVersion, v1alpha1.GroupVersion))
	}
	response := newSuccess(request.UID)
	response.ConvertedObjects = make([]runtime.RawExtension, 0, len(request.Objects))
	for i, object := range request.Objects {
		if err := ctx.Err(); err != nil {
			return newFailure(request.UID, fmt.Errorf("stopped at object %d: %w", i, err))
		}
		raw, err := convertObject(object.Raw, request.DesiredAPIVersion, step)
		if err != nil {
			return newFailure(request.UID, fmt.Errorf("object %d: %w", i, err))
		}
		response.ConvertedObjects = append(response.ConvertedObjects, runtime.RawExtension{Raw: raw})
	}
	return response
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
