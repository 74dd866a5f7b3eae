package kubernetes

import (
	"encoding/json"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

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
func Current(live []metav1.ManagedFieldsEntry, desired map[string]any) bool {
	owned := ownedFields(live)
	return owned != nil && covers(owned, desired)
}

// ownedFields merges what our manager owns, by apply and by the first create.
func ownedFields(entries []metav1.ManagedFieldsEntry) map[string]any {
	var out map[string]any
	for _, e := range entries {
		if e.Manager != v1.FieldManager || e.Subresource != "" || e.FieldsV1 == nil {
			continue
		}
		var fields map[string]any
		if json.Unmarshal(e.FieldsV1.GetRawBytes(), &fields) != nil {
			continue
		}
		out = merge(out, fields)
	}
	return out
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
func covers(owned, desired map[string]any) bool {
	for key, value := range desired {
		field, ok := owned["f:"+key]
		if !ok {
			return false
		}
		if !coversValue(field, value) {
			return false
		}
	}
	return true
}

// coversValue descends where ownership is kept per part: a map's fields, the
// items of a keyed list. A field that is owned as a whole ends the walk.
func coversValue(owned, value any) bool {
	fields, _ := owned.(map[string]any)
	if len(fields) == 0 {
		return true
	}
	switch v := value.(type) {
	case map[string]any:
		return covers(fields, v)
	case []any:
		return coversList(fields, v)
	default:
		return true
	}
}

// coversList matches each item with the owned item of the same keys. A list
// without keys is owned as a whole and does not get here.
func coversList(owned map[string]any, items []any) bool {
	for _, item := range items {
		object, keyed := item.(map[string]any)
		if !keyed {
			if !ownsValue(owned, item) {
				return false
			}
			continue
		}
		fields, ok := ownedItem(owned, object)
		if !ok || !coversValue(fields, object) {
			return false
		}
	}
	return true
}

// ownedItem finds the entry k:{"name":"x"} whose keys the item has. A key that
// the item leaves out is one that the server defaults, such as a port's protocol.
func ownedItem(owned, item map[string]any) (any, bool) {
	for name, fields := range owned {
		text, ok := strings.CutPrefix(name, "k:")
		if !ok {
			continue
		}
		var keys map[string]any
		if json.Unmarshal([]byte(text), &keys) != nil || !hasKeys(item, keys) {
			continue
		}
		return fields, true
	}
	return nil, false
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
