package kubernetes

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
)

// mergedMap is what an apply makes of a live map: what is wanted takes its place,
// what we own and no longer want goes, and what others and the server have put there
// stays.
func mergedMap(live, want map[string]any, owned map[string]any) map[string]any {
	out := maps.Clone(live)
	if out == nil {
		out = map[string]any{}
	}
	for key := range live {
		if _, wanted := want[key]; !wanted && owned["f:"+key] != nil {
			delete(out, key)
		}
	}
	for key, value := range want {
		out[key] = mergedValue(live[key], value, owned["f:"+key])
	}
	return out
}

func mergedValue(live, want, owned any) any {
	fields, _ := owned.(map[string]any)
	switch w := want.(type) {
	case map[string]any:
		if l, ok := live.(map[string]any); ok {
			return mergedMap(l, w, fields)
		}
	case []any:
		if l, ok := live.([]any); ok && isKeyed(fields) {
			return mergedList(l, w, fields)
		}
	default:
		if sameQuantity(live, want) {
			return live
		}
	}
	return want
}

// meant are the fields whose parts the server adds none to.
var meant = []string{"f:labels", "f:annotations", "f:matchLabels", "f:data", "f:nodeSelector"}

// withoutDefaults takes single fields out of what a create has left us the owner of:
// it counts as ours what the server has filled in, and fills in again. Items of lists
// and texts by name are nobody's default.
func withoutDefaults(owned map[string]any) map[string]any {
	out := map[string]any{}
	for key, value := range owned {
		inner, _ := value.(map[string]any)
		_, leaf := inner[compare]
		switch {
		case slices.Contains(meant, key):
			out[key] = value
		case strings.HasPrefix(key, "f:") && (leaf || len(inner) == 0):
		default:
			out[key] = withoutDefaults(inner)
		}
	}
	return out
}

// isKeyed tells a list whose items are owned one by one.
func isKeyed(owned map[string]any) bool {
	for key := range owned {
		if strings.HasPrefix(key, "k:") {
			return true
		}
	}
	return false
}

// mergedList merges the items of a keyed list: those that are there in their order,
// new ones behind them.
func mergedList(live, want []any, owned map[string]any) []any {
	var out []any
	met := make([]bool, len(want))
	for _, item := range live {
		have, ok := item.(map[string]any)
		if !ok {
			return want
		}
		fields, keys, ours := ownedItem(owned, have)
		at := -1
		for i, w := range want {
			if object, isMap := w.(map[string]any); isMap && ours && hasKeys(object, keys) {
				at = i
			}
		}
		switch {
		case at >= 0:
			met[at] = true
			out = append(out, mergedValue(have, want[at], fields))
		case !ours: // somebody else's
			out = append(out, have)
		}
	}
	for i, w := range want {
		if !met[i] {
			out = append(out, w)
		}
	}
	return out
}

// sameQuantity tells that two values are one number in two forms, such as 0.5 and
// 500m, of which the server writes its own.
func sameQuantity(a, b any) bool {
	x, isX := a.(string)
	y, isY := b.(string)
	if !isX || !isY || x == y {
		p, errP := json.Marshal(a)
		q, errQ := json.Marshal(b)
		return errP == nil && errQ == nil && string(p) == string(q)
	}
	p, errP := resource.ParseQuantity(x)
	q, errQ := resource.ParseQuantity(y)
	return errP == nil && errQ == nil && p.Cmp(q) == 0
}
