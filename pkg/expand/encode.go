package expand

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Encode returns a planned object as every target writes it: without status, and without
// what only the server sets.
func Encode(obj client.Object) (*unstructured.Unstructured, error) {
	if _, isShared := obj.(runtime.Unstructured); isShared {
		obj = obj.DeepCopyObject().(client.Object)
	}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
	if err != nil {
		return nil, fmt.Errorf("encode %T %s: %w", obj, obj.GetName(), err)
	}
	u := &unstructured.Unstructured{Object: WithoutNulls(content)}
	delete(u.Object, "status")
	u.SetGeneration(0) // It is noted in a plan, and never sent.
	return u, nil
}

// WithoutNulls drops fields that a Go type writes as null, such as creationTimestamp. To
// the server a null is a field, and one that cannot be owned.
func WithoutNulls(m map[string]any) map[string]any {
	for key, value := range m {
		switch v := value.(type) {
		case nil:
			delete(m, key)
		case map[string]any:
			WithoutNulls(v)
		case []any:
			for _, item := range v {
				if object, ok := item.(map[string]any); ok {
					WithoutNulls(object)
				}
			}
		}
	}
	return m
}
