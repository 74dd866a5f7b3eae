package kubernetes

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/expand"
)

// Desired returns the request for a planned object: its fields without those that only the
// server writes, and the hash of them all.
func Desired(obj client.Object) (*unstructured.Unstructured, string, error) {
	u, err := expand.Encode(obj)
	if err != nil {
		return nil, "", err
	}
	text, err := json.Marshal(u.Object)
	if err != nil {
		return nil, "", fmt.Errorf("encode %T %s: %w", obj, obj.GetName(), err)
	}
	sum := sha256.Sum256(text)
	hash := hex.EncodeToString(sum[:8])
	annotations := u.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[v1.AnnotationApplied] = hash
	u.SetAnnotations(annotations)
	return u, hash, nil
}

// toCreate returns the form in which a planned object is created. One of a kind of Kubernetes
// itself goes as protobuf, which costs the API server less than JSON. Kinds of CRDs have no
// protobuf: they go as they are applied.
func toCreate(obj client.Object, want *unstructured.Unstructured) client.Object {
	if _, hasProtobuf := obj.(runtime.ProtobufMarshaller); !hasProtobuf {
		return want.DeepCopy()
	}
	created := obj.DeepCopyObject().(client.Object)
	created.SetAnnotations(want.GetAnnotations())
	created.SetGeneration(0)
	return created
}

// hashOf returns the hash of a planned object when it is needed. One that cannot be
// encoded has none.
func hashOf(obj client.Object) func() string {
	return func() string {
		_, hash, _ := Desired(obj)
		return hash
	}
}

// ownableFields are the fields of a desired object that the server tracks ownership of.
func ownableFields(u *unstructured.Unstructured) map[string]any {
	out := map[string]any{}
	for key, value := range u.Object {
		switch key {
		case "apiVersion", "kind":
		case "metadata":
			out[key] = ownableMetadata(value.(map[string]any))
		default:
			out[key] = value
		}
	}
	return out
}

func ownableMetadata(m map[string]any) map[string]any {
	out := map[string]any{}
	for _, key := range []string{"labels", "annotations", "ownerReferences"} {
		if value, ok := m[key]; ok {
			out[key] = value
		}
	}
	return out
}
