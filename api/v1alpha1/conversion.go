package v1alpha1

import (
	"fmt"
	"maps"
	"sort"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

	v1 "gati.dev/gati/api/v1"
)

// ToV1 converts an object of gati.dev/v1alpha1 to gati.dev/v1.
//
// The object is unstructured content as the API server's JSON decodes, with int64 and
// float64 for numbers. It is not changed; the result shares unconverted parts, so copy
// it before a deep change. ToV1 fails on unknown fields, on types that no schema admits
// and on an invalid FieldsAnnotation; it never drops anything.
func ToV1(obj map[string]any) (map[string]any, error) {
	return convertObject(obj, GroupVersion.String(), v1.GroupVersion.String(), (*kind).toV1)
}

// FromV1 converts an object of gati.dev/v1 to gati.dev/v1alpha1. It is the inverse of
// ToV1 and uses the same form of objects.
//
// It succeeds for every object that the schema of v1 admits: one object that could not
// be converted would make every list and watch of v1alpha1 fail.
func FromV1(obj map[string]any) (map[string]any, error) {
	return convertObject(obj, v1.GroupVersion.String(), GroupVersion.String(), (*kind).fromV1)
}

// convertObject runs the conversion of the object's kind on a shallow copy.
func convertObject(obj map[string]any, from, to string, step func(*kind, map[string]any) error) (map[string]any, error) {
	name, _ := obj["kind"].(string)
	k, known := kinds()[name]
	if !known {
		return nil, fmt.Errorf("kind: %q is not a kind of %s that can be converted", name, v1.Group)
	}
	if got, _ := obj["apiVersion"].(string); got != from {
		return nil, fmt.Errorf("apiVersion: want %s to convert to %s, got %q", from, to, got)
	}
	out := maps.Clone(obj)
	out["apiVersion"] = to
	if err := step(k, out); err != nil {
		return nil, err
	}
	return out, nil
}

// toV1 converts in place the spec and the metadata of a shallow copy.
func (k *kind) toV1(obj map[string]any) error {
	fields, marker, err := takeFields(obj)
	if err != nil {
		return err
	}
	carried, err := k.decodeFields(fields, marker)
	if err != nil {
		return err
	}
	shown, err := specOf(obj)
	if shown == nil || err != nil {
		return err
	}
	spec, err := k.specToV1(shown)
	if err != nil {
		return err
	}
	if err := k.restoreCarried(spec, shown, carried); err != nil {
		return err
	}
	obj["spec"] = spec
	return nil
}

// fromV1 converts in place the spec and the metadata of a shallow copy.
func (k *kind) fromV1(obj map[string]any) error {
	if _, _, err := takeFields(obj); err != nil {
		return err
	}
	spec, err := specOf(obj)
	if spec == nil || err != nil {
		return err
	}
	shown, err := k.specFromV1(spec)
	if err != nil {
		return err
	}
	plain, err := k.specToV1(shown)
	if err != nil {
		return err
	}
	obj["spec"] = shown
	return putFields(obj, findCarried(spec, plain))
}

// specToV1 returns the v1 spec that results from the visible fields alone.
func (k *kind) specToV1(shown map[string]any) (map[string]any, error) {
	if err := k.refuseUnknown(shown); err != nil {
		return nil, err
	}
	spec := make(map[string]any, len(shown)+len(k.defaults))
	for name, value := range k.defaults {
		spec[name] = runtime.DeepCopyJSONValue(value)
	}
	for _, f := range k.fields {
		value, present := shown[f.old]
		if !present {
			continue
		}
		if f.list != nil && value != nil {
			list, err := f.list.up(specPath.Child(f.old), value)
			if err != nil {
				return nil, err
			}
			value = list
		}
		spec[f.new] = value
	}
	return spec, nil
}

// specFromV1 returns the part of a v1 spec that v1alpha1 can express.
func (k *kind) specFromV1(spec map[string]any) (map[string]any, error) {
	shown := make(map[string]any, len(spec))
	for _, f := range k.fields {
		value, present := spec[f.new]
		if !present {
			continue
		}
		if f.list != nil && value != nil {
			list, err := listAt(specPath.Child(f.new), value)
			if err != nil {
				return nil, err
			}
			if value, err = f.list.down(specPath.Child(f.new), list); err != nil {
				return nil, err
			}
			if value == nil {
				continue
			}
		}
		shown[f.old] = value
	}
	return shown, nil
}

// refuseUnknown fails on fields that v1alpha1 does not have: dropping one would lose
// data.
func (k *kind) refuseUnknown(shown map[string]any) error {
	var unknown []string
	for name := range shown {
		if !k.visible[name] {
			unknown = append(unknown, name)
		}
	}
	if len(unknown) == 0 {
		return nil
	}
	sort.Strings(unknown)
	return fmt.Errorf("%s: gati.dev/v1alpha1 has no such field; remove it, or write the object as gati.dev/v1", specPath.Child(unknown[0]))
}

var specPath = field.NewPath("spec")

// specOf returns the spec, or nil when there is none.
func specOf(obj map[string]any) (map[string]any, error) {
	value, present := obj["spec"]
	if !present || value == nil {
		return nil, nil
	}
	spec, ok := value.(map[string]any)
	if !ok {
		return nil, typeError(specPath, "an object", value)
	}
	return spec, nil
}

// listAt returns a value as a list.
func listAt(path *field.Path, value any) ([]any, error) {
	list, ok := value.([]any)
	if !ok {
		return nil, typeError(path, "a list", value)
	}
	return list, nil
}

// typeError describes the expected and the actual type at a path.
func typeError(path *field.Path, want string, got any) error {
	return fmt.Errorf("%s: want %s, got %s", path, want, jsonType(got))
}

// jsonType names the JSON type of a decoded value.
func jsonType(value any) string {
	switch value.(type) {
	case nil:
		return "null"
	case bool:
		return "a boolean"
	case string:
		return "a string"
	case []any:
		return "a list"
	case map[string]any:
		return "an object"
	default:
		return "a number"
	}
}
