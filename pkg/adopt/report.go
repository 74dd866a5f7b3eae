package adopt

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"gati.dev/gati/pkg/lazyregexp"
)

// Item is one difference between what runs and what the handler leads to.
type Item struct {
	// Object and Field name it, such as Deployment/web and spec.template.spec.hostNetwork.
	Object string
	Field  string
	// Theirs is the value that is not carried over, as JSON; empty where the field is not
	// set. Ours is what the handler's pods have in its place; empty for nothing.
	Theirs string
	Ours   string
	// Why is the reason, Do the next step of the user.
	Why string
	Do  string
}

// IsAdded reports whether the handler's pods have something that was not set.
func (i Item) IsAdded() bool { return i.Theirs == "" }

// maxValue is how much of a value a report shows.
const maxValue = 120

// showValue returns a value as JSON, shortened.
func showValue(value any) string {
	text, _ := json.Marshal(value) // it was decoded from JSON
	if len(text) <= maxValue {
		return string(text)
	}
	cut := maxValue
	for !utf8.RuneStart(text[cut]) {
		cut--
	}
	return string(text[:cut]) + "…"
}

// leftItems returns an item for everything that is left of an object.
func (o *object) leftItems() []Item {
	var out []Item
	var visit func(path string, value any)
	visit = func(path string, value any) {
		if isEmpty(value) {
			return
		}
		found, isKnown := findReason(o.title, path)
		if isKnown && !o.claimed[path] || !o.opened[path] || !o.eachField(path, value, visit) {
			out = append(out, Item{o.title, path, showValue(value), found.ours, found.why, found.do})
		}
	}
	visit("", o.content)
	return out
}

// eachField visits the fields of an object, or the items of a list, and reports whether the
// value is one of these.
func (o *object) eachField(path string, value any, visit func(string, any)) bool {
	switch value := value.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(value)) {
			visit(joinPath(path, name), value[name])
		}
	case []any:
		for i, item := range value {
			visit(o.itemPath(path, i, item), item)
		}
	default:
		return false
	}
	return true
}

// reason is why a field is not carried over.
type reason struct{ ours, why, do string }

// unknown is the reason for a field that no translation speaks of.
var unknown = reason{
	why: "a GatiHandler has no field for it",
	do:  "keep what runs where the pods need it",
}

var (
	brackets    = lazyregexp.New(`\[[^\]]*\]`)
	podTemplate = "spec.template.spec."
)

// findReason returns the reason for a field, and whether it is a known one.
func findReason(title, path string) (reason, bool) {
	kind, _, _ := strings.Cut(title, "/")
	general := brackets.ReplaceAllStringFunc(path, func(string) string { return "[]" })
	if inPod, isPod := strings.CutPrefix(general, podTemplate); isPod {
		found, isKnown := podReasons[inPod]
		if !isKnown {
			found, isKnown = podReasons[strings.TrimPrefix(inPod, "containers[].")]
		}
		if isKnown {
			return found, true
		}
	}
	if found, isKnown := objectReasons[kind+" "+general]; isKnown {
		return found, true
	}
	if found, isKnown := objectReasons[general]; isKnown {
		return found, true
	}
	return unknown, false
}
