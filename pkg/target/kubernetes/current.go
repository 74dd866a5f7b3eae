package kubernetes

import (
	"encoding/json"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "gati.dev/gati/api/v1"
)

// Current tells whether a live object still is what was last applied to it:
// whether every field of the desired content is still owned by our manager.
//
// The API server takes a field from its owner as soon as another manager gives
// it another value, and a removed field loses its owner. So as long as we own
// all that we want, and the hash of what we applied is the hash of what we want,
// each value is ours, and nothing need be compared or written. Values that the
// server writes in another form ("0.5" and "500m") and fields that others add
// beside ours do not count as changes.
//
// One thing ownership leaves open: after a create we own maps as well as what is
// in them, and a map whose contents were all taken from us looks like one that
// is owned as a whole. There, and only there, values are compared.
func Current(live client.Object, desired map[string]any) bool {
	entries := live.GetManagedFields()
	owned := fieldsOf(entries, v1.FieldManager)
	if owned == nil {
		return false
	}
	var content map[string]any
	if isCreated(entries) {
		var err error
		if content, err = runtime.DefaultUnstructuredConverter.ToUnstructured(live); err != nil {
			return false
		}
	}
	return covers(owned, desired, content)
}

// ownsHash tells whether the hash of what was applied last is as we wrote it.
func ownsHash(live client.Object) bool {
	return Current(live, map[string]any{"metadata": map[string]any{"annotations": map[string]any{v1.AnnotationApplied: ""}}})
}

// isCreated tells whether the ownership that our create left is still there.
func isCreated(entries []metav1.ManagedFieldsEntry) bool {
	return slices.ContainsFunc(entries, func(e metav1.ManagedFieldsEntry) bool {
		return e.Manager == v1.FieldManager && e.Subresource == "" && e.Operation == metav1.ManagedFieldsOperationUpdate
	})
}

// fieldsOf merges what a manager owns, by apply and by the first create.
func fieldsOf(entries []metav1.ManagedFieldsEntry, manager string) map[string]any {
	var out map[string]any
	for _, e := range entries {
		if e.Manager != manager || e.Subresource != "" || e.FieldsV1 == nil {
			continue
		}
		var fields map[string]any
		if json.Unmarshal(e.FieldsV1.GetRawBytes(), &fields) != nil {
			continue
		}
		if e.Operation == metav1.ManagedFieldsOperationUpdate {
			markLeaves(fields)
		}
		out = merge(out, fields)
	}
	return out
}

// compare marks a field that may be owned as a whole or be all that is left.
const compare = "?"

func markLeaves(fields map[string]any) {
	for key, value := range fields {
		if inner, _ := value.(map[string]any); len(inner) > 0 {
			markLeaves(inner)
		} else if key != "." {
			fields[key] = map[string]any{compare: nil}
		}
	}
}

func merge(into, from map[string]any) map[string]any {
	if into == nil {
		return from
	}
	for key, value := range from {
		have, both := into[key].(map[string]any)
		add, ok := value.(map[string]any)
		if both && ok {
			into[key] = merge(have, add)
			continue
		}
		into[key] = value
	}
	return into
}

// covers tells whether the owned fields include every field of a map.
func covers(owned, desired, live map[string]any) bool {
	for key, value := range desired {
		field, ok := owned["f:"+key]
		if !ok || !coversValue(field, value, live[key]) {
			return false
		}
	}
	return true
}

// coversValue descends where ownership is kept per part: a map's fields, the
// items of a keyed list. A field that is owned as a whole ends the walk.
func coversValue(owned, value, live any) bool {
	fields, _ := owned.(map[string]any)
	if len(fields) == 0 {
		return true
	}
	_, open := fields[compare]
	switch v := value.(type) {
	case map[string]any:
		content, _ := live.(map[string]any)
		return covers(fields, v, content) && (!open || len(v) > 0) || open && holds(v, live)
	case []any:
		items, _ := live.([]any)
		return coversList(fields, v, items) || open && holds(v, live)
	default:
		return true
	}
}

// coversList matches each item with the owned item of the same keys. A list
// without keys is owned as a whole and does not get here.
func coversList(owned map[string]any, items, live []any) bool {
	for _, item := range items {
		object, keyed := item.(map[string]any)
		if !keyed {
			if !ownsValue(owned, item) {
				return false
			}
			continue
		}
		fields, keys, ok := ownedItem(owned, object)
		if !ok || !coversValue(fields, object, itemOf(live, keys)) {
			return false
		}
	}
	return true
}

// itemOf finds the live item with the given keys.
func itemOf(live []any, keys map[string]any) any {
	for _, item := range live {
		if object, ok := item.(map[string]any); ok && hasKeys(object, keys) {
			return object
		}
	}
	return nil
}

// holds tells whether a live value has all of the wanted one. What the server
// has put beside it does not count.
func holds(want, live any) bool {
	switch w := want.(type) {
	case map[string]any:
		l, ok := live.(map[string]any)
		for key, value := range w {
			if !holds(value, l[key]) {
				return false
			}
		}
		return ok
	case []any:
		l, ok := live.([]any)
		if !ok || len(l) != len(w) {
			return false
		}
		for i := range w {
			if !holds(w[i], l[i]) {
				return false
			}
		}
		return true
	default:
		return sameScalar(want, live)
	}
}

// ownedItem finds the entry k:{"name":"x"} whose keys the item has. A key that
// the item leaves out is one that the server defaults, such as a port's protocol.
func ownedItem(owned, item map[string]any) (fields any, keys map[string]any, ok bool) {
	for name, fields := range owned {
		text, ok := strings.CutPrefix(name, "k:")
		if !ok {
			continue
		}
		var keys map[string]any
		if json.Unmarshal([]byte(text), &keys) != nil || !hasKeys(item, keys) {
			continue
		}
		return fields, keys, true
	}
	return nil, nil, false
}

func hasKeys(item, keys map[string]any) bool {
	for key, want := range keys {
		have, set := item[key]
		if set && !sameScalar(have, want) {
			return false
		}
	}
	return true
}

// ownsValue finds the entry v:"x" of a list that is a set.
func ownsValue(owned map[string]any, item any) bool {
	text, err := json.Marshal(item)
	if err != nil {
		return false
	}
	_, ok := owned["v:"+string(text)]
	return ok
}

// sameScalar compares two JSON scalars, whose numbers may be int64 or float64.
func sameScalar(a, b any) bool {
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && string(x) == string(y)
}
