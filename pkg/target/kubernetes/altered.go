package kubernetes

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/structured-merge-diff/v6/value"
)

// alteration is a field that has another value than the one that was sent.
type alteration struct{ field, want, have string }

// findAlteration finds a field of the desired content that has another value in the
// live object, nil when there is none. It is asked only of objects whose fields
// are all ours: the API server notes who sent a field before it calls mutating
// webhooks, so what those change is still down as ours.
//
// What others add is no change: keys of maps, items of lists of objects. Nor are
// quantities that are written in another way.
func findAlteration(desired, live map[string]any) *alteration {
	if live == nil {
		return nil // It came from the API server: there is nothing to tell of.
	}
	return findDifference("", desired, live)
}

// DescribeDifference returns which desired field a live object has another value of, and
// both values. It is empty when there is none. Server-written parts of desired are left out.
func DescribeDifference(desired *unstructured.Unstructured, live client.Object) string {
	found := findAlteration(ownableFields(desired), encodeOnce(live)())
	if found == nil {
		return ""
	}
	return fmt.Sprintf("%s is %s, not %s", found.field, found.have, found.want)
}

func findDifference(path string, want, have any) *alteration {
	switch w := want.(type) {
	case map[string]any:
		h, _ := have.(map[string]any)
		return findDifferenceInMap(path, w, h)
	case []any:
		h, _ := have.([]any)
		return findDifferenceInList(path, w, h)
	case nil:
		return nil
	}
	if isSame(want, have) {
		return nil
	}
	return &alteration{field: path, want: shortenValue(want), have: shortenValue(have)}
}

func findDifferenceInMap(path string, want, have map[string]any) *alteration {
	for _, key := range slices.Sorted(maps.Keys(want)) {
		if found := findDifference(joinPath(path, key), want[key], have[key]); found != nil {
			return found
		}
	}
	return nil
}

// findDifferenceInList looks for each item among the live ones. Others may have inserted
// theirs before ours. A list of plain values is one value.
func findDifferenceInList(path string, want, have []any) *alteration {
	if len(want) == 0 {
		return nil
	}
	if _, objects := want[0].(map[string]any); !objects {
		if slices.EqualFunc(want, have, isEqual) {
			return nil
		}
		return &alteration{field: path, want: shortenValue(want), have: shortenValue(have)}
	}
	for i, item := range want {
		at := fmt.Sprintf("%s[%d]", path, i)
		if i < len(have) && findDifference(at, item, have[i]) == nil {
			continue
		}
		if !slices.ContainsFunc(have, func(h any) bool { return findDifference(at, item, h) == nil }) {
			return findDifference(at, item, findCounterpart(item, i, have))
		}
	}
	return nil
}

// findCounterpart is the item that another one was made of: that of its name, else
// that at its place.
func findCounterpart(item any, i int, have []any) any {
	name := item.(map[string]any)["name"]
	for _, h := range have {
		if m, ok := h.(map[string]any); ok && name != nil && m["name"] == name {
			return h
		}
	}
	if i < len(have) {
		return have[i]
	}
	return nil
}

func isEqual(a, b any) bool {
	return value.Equals(value.NewValueInterface(a), value.NewValueInterface(b))
}

// isSame reports whether two single values are the same, quantities such as 0.5 and
// 500m in whatever form.
func isSame(a, b any) bool {
	if isEqual(a, b) {
		return true
	}
	x, isTextX := a.(string)
	y, isTextY := b.(string)
	if !isTextX || !isTextY {
		return false
	}
	p, errP := resource.ParseQuantity(x)
	q, errQ := resource.ParseQuantity(y)
	return errP == nil && errQ == nil && p.Cmp(q) == 0
}

// shortenValue is a value as a message shows it.
func shortenValue(v any) string {
	if v == nil {
		return "nothing"
	}
	const most = 80
	out, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	if runes := []rune(string(out)); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return string(out)
}

func joinPath(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}
