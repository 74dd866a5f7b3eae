package kubernetes

import (
	"slices"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
)

// IsCurrent reports whether a live object is as last applied: our manager still owns every
// field of the desired content.
//
// The API server takes a field from its owner as soon as another manager gives
// it another value, and a removed field loses its owner. So as long as we own
// all that we want, and the hash of what we applied is the hash of what we want,
// each value is ours, and nothing need be compared or written. Values that the
// server writes in another form ("0.5" and "500m") and fields that others add
// beside ours do not count as changes.
//
// Ownership leaves one case open: after a create we own maps as well as their contents, and
// a map whose contents others have taken over looks like one that is owned as a whole. Only
// there are values compared.
func IsCurrent(live client.Object, desired map[string]any) bool {
	return isCurrent(live, desired, encodeOnce(live))
}

func isCurrent(live client.Object, desired map[string]any, content func() map[string]any) bool {
	entries := live.GetManagedFields()
	var values map[string]any
	if isCreated(entries) {
		if values = content(); values == nil {
			return false
		}
	}
	return ownedBy(entries, v1.FieldManager).coversMap(desired, values)
}

// encodeOnce returns the fields of an object, encoded when they are first asked for; nil where
// they cannot be.
func encodeOnce(live client.Object) func() map[string]any {
	return sync.OnceValue(func() map[string]any {
		content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(live)
		if err != nil {
			return nil
		}
		return content
	})
}

// ownsHash reports whether the annotation with the hash of the last apply is still ours.
func ownsHash(live client.Object) bool {
	return IsCurrent(live, map[string]any{"metadata": map[string]any{"annotations": map[string]any{v1.AnnotationApplied: ""}}})
}

// isCreated reports whether the ownership that our create left is still there.
func isCreated(entries []metav1.ManagedFieldsEntry) bool {
	return slices.ContainsFunc(entries, func(e metav1.ManagedFieldsEntry) bool {
		return e.Manager == v1.FieldManager && e.Subresource == "" && e.Operation == metav1.ManagedFieldsOperationUpdate
	})
}

// coversValue reports whether the owned fields include all of a value. It descends where
// ownership is kept per part: a map's fields, the items of a keyed list.
func (o owned) coversValue(value, live any) bool {
	if o.hasParts() {
		switch v := value.(type) {
		case map[string]any:
			content, _ := live.(map[string]any)
			return o.coversMap(v, content)
		case []any:
			items, _ := live.([]any)
			return o.coversList(v, items)
		}
		return true
	}
	switch value.(type) {
	case map[string]any, []any:
		return !o.isLeftByCreate || findDifference("", value, live) == nil
	}
	return true
}

func (o owned) coversMap(desired, live map[string]any) bool {
	for key, value := range desired {
		field, ok := o.fieldOf(key)
		if !ok || !field.coversValue(value, live[key]) {
			return false
		}
	}
	return true
}

// coversList matches each item with the owned item of the same keys. A list
// without keys is owned as a whole and does not get here.
func (o owned) coversList(items, live []any) bool {
	for _, item := range items {
		object, isObject := item.(map[string]any)
		if !isObject {
			if !o.hasValue(item) {
				return false
			}
			continue
		}
		fields, keys, ok := o.itemOf(object)
		if !ok || !fields.coversValue(object, findItem(live, keys)) {
			return false
		}
	}
	return true
}
