package kubernetes

import "maps"

// mergeMap returns a live map after an apply: desired fields replace live ones, fields that
// we own and no longer want are removed, and fields of others and of the server stay.
func mergeMap(live, want map[string]any, ours owned) map[string]any {
	out := maps.Clone(live)
	if out == nil {
		out = map[string]any{}
	}
	for key := range live {
		if _, isWanted := want[key]; !isWanted && ours.isRemovedWith(key) {
			delete(out, key)
		}
	}
	for key, value := range want {
		field, _ := ours.fieldOf(key)
		out[key] = mergeValue(live[key], value, field)
	}
	return out
}

// isRemovedWith reports whether an apply without a field removes it. A single field that we
// own since the create stays: it may be a default, which the server would fill in again. No
// default is an item of a list or a text by name.
func (o owned) isRemovedWith(key string) bool {
	field, ok := o.fieldOf(key)
	return ok && (!field.isLeftByCreate || field.isText || o.isText)
}

func mergeValue(live, want any, ours owned) any {
	switch w := want.(type) {
	case map[string]any:
		if l, ok := live.(map[string]any); ok && !ours.isWhole {
			return mergeMap(l, w, ours)
		}
	case []any:
		if l, ok := live.([]any); ok && ours.isKeyed() {
			return mergeList(l, w, ours)
		}
	default:
		if isSame(want, live) {
			return live
		}
	}
	return want
}

// mergeList merges the items of a keyed list: those that are there in their order,
// new ones behind them.
func mergeList(live, want []any, ours owned) []any {
	var out []any
	isMet := make([]bool, len(want))
	for _, item := range live {
		have, ok := item.(map[string]any)
		if !ok {
			return want
		}
		fields, keys, isOurs := ours.itemOf(have)
		at := -1
		for i, w := range want {
			if object, isMap := w.(map[string]any); isMap && isOurs && hasKeys(object, keys) {
				at = i
			}
		}
		switch {
		case at >= 0:
			isMet[at] = true
			out = append(out, mergeValue(have, want[at], fields))
		case !isOurs: // of another manager
			out = append(out, have)
		}
	}
	for i, w := range want {
		if !isMet[i] {
			out = append(out, w)
		}
	}
	return out
}
