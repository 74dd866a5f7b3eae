package admission

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
	kjson "sigs.k8s.io/json"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/facts"
)

// FactSource finds out the facts of a namespace.
type FactSource interface {
	For(ctx context.Context, namespace string) (facts.Facts, error)
	Ending(ctx context.Context, namespace string) (bool, error)
}

// decodeRequest returns the object of a request and, on an update, the stored one.
func decodeRequest(req admission.Request) (obj, old client.Object, err error) {
	if obj, err = decodeRaw(req.Kind.Kind, req.Object); err != nil {
		return nil, nil, err
	}
	if obj.GetNamespace() == "" {
		obj.SetNamespace(req.Namespace)
	}
	if len(req.OldObject.Raw) == 0 {
		return obj, nil, nil
	}
	if old, err = decodeRaw(req.Kind.Kind, req.OldObject); err != nil {
		return nil, nil, err
	}
	keepStatus(obj, old)
	return obj, old, nil
}

// keepStatus gives an object the stored one's status, as the API server does in an update:
// that of the request is not read.
func keepStatus(obj, old client.Object) {
	switch o := obj.(type) {
	case *v1.GatiHandler:
		o.Status = old.(*v1.GatiHandler).Status
	case *v1.GatiModule:
		o.Status = old.(*v1.GatiModule).Status
	case *v1.GatiVersion:
		o.Status = old.(*v1.GatiVersion).Status
	}
}

func decodeRaw(kind string, raw runtime.RawExtension) (client.Object, error) {
	var obj client.Object
	switch kind {
	case "GatiHandler":
		obj = &v1.GatiHandler{}
	case "GatiModule":
		obj = &v1.GatiModule{}
	case "GatiVersion":
		obj = &v1.GatiVersion{}
	default:
		return nil, fmt.Errorf("kind %q is none of %s", kind, v1.Group)
	}
	// As the API server reads: a field in other letters is another field.
	if err := kjson.UnmarshalCaseSensitivePreserveInts(raw.Raw, obj); err != nil {
		return nil, fmt.Errorf("decode %s: %w", kind, err)
	}
	return obj, nil
}

// sameSpec reports whether an update leaves the spec as it was.
func sameSpec(obj, old client.Object) bool {
	if old == nil {
		return false
	}
	x, docsX := specOf(obj)
	y, docsY := specOf(old)
	return sameText(x, y) && sameText(docsX, docsY) // Documents are long, and change seldom.
}

func sameText(a, b any) bool {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}

// specOf returns a spec without its schemas, and these.
func specOf(obj client.Object) (any, *v1.VersionSchema) {
	switch o := obj.(type) {
	case *v1.GatiHandler:
		spec := o.Spec
		spec.Schema = nil
		return spec, o.Spec.Schema
	case *v1.GatiModule:
		return o.Spec, nil
	case *v1.GatiVersion:
		spec := o.Spec
		spec.Schema = nil
		return spec, o.Spec.Schema
	}
	return nil, nil
}
