package schema

import (
	"fmt"
	"strings"
)

// isGType reports whether a document is in Gati's own form, which has kind where
// JSON Schema has type.
func isGType(doc any) bool {
	object, ok := doc.(map[string]any)
	if !ok {
		return false
	}
	_, kinded := object["kind"].(string)
	for _, name := range []string{"type", "$ref", "$schema", "allOf", "anyOf", "oneOf", "enum", "const"} {
		if _, found := object[name]; found {
			return false
		}
	}
	return kinded
}

// translator translates the kind form of Gati's contracts into JSON Schema.
type translator struct{ problems Problems }

func translateGType(doc any) (any, error) {
	t := &translator{}
	out := t.translateSchema(doc, "", 0)
	if len(t.problems) > 0 {
		return nil, t.problems
	}
	return out, nil
}

func (t *translator) addProblem(at, format string, args ...any) {
	if len(t.problems) < maxProblems {
		t.problems = append(t.problems, Problem{at, fmt.Sprintf(format, args...)})
	}
}

// gtypes maps each kind to its translation. Kinds that the contracts name but never
// define have none.
var gtypes map[string]func(*translator, map[string]any, map[string]any, string, int)

const gtypeKinds = "string, number, boolean, object and array"

func init() {
	gtypes = map[string]func(*translator, map[string]any, map[string]any, string, int){
		"string": textGType, "number": numberGType, "boolean": booleanGType, "object": objectGType, "array": arrayGType,
		"union": nil, "enum": nil, "tuple": nil, "null": nil, "ref": nil,
	}
}

// jsonSchemaFor names the JSON Schema for each kind that the contracts leave
// undefined.
var jsonSchemaFor = map[string]string{
	"union": "anyOf", "enum": "enum", "tuple": "prefixItems", "null": `"type": "null", or nullable beside another kind`,
	"ref": "$ref to #/$defs/<name>: what a refId names is not in the document",
}

func (t *translator) translateSchema(doc any, at string, depth int) map[string]any {
	out := map[string]any{}
	in, ok := doc.(map[string]any)
	if !ok {
		t.addProblem(at, "is %s; a schema in Gati's form is an object with a kind", describeValue(doc))
		return out
	}
	if depth > MaxDepth {
		t.addProblem(at, "is nested %d schemas deep; at most %d", depth, MaxDepth)
		return out
	}
	name, _ := in["kind"].(string)
	read, known := gtypes[name]
	switch {
	case !known:
		t.addProblem(appendPointer(at, "kind"), "is %s; the kinds of Gati's form are %s", describeValue(in["kind"]), gtypeKinds)
	case read == nil:
		t.addProblem(appendPointer(at, "kind"), "is %q, which Gati's contracts name and do not define; write the schema as JSON Schema, with %s", name, jsonSchemaFor[name])
	default:
		read(t, in, out, at, depth)
		t.translateCommon(in, out, at)
	}
	return out
}

// translateCommon translates the keywords of every kind.
func (t *translator) translateCommon(in, out map[string]any, at string) {
	if nullable, given := in["nullable"]; given {
		if yes, ok := nullable.(bool); !ok {
			t.addProblem(appendPointer(at, "nullable"), "is %s; it must be true or false", describeValue(nullable))
		} else if yes {
			out["type"] = []any{out["type"], "null"}
		}
	}
	if text, given := in["description"]; given {
		out["description"] = text
	}
}

// copyKeywords copies keywords under their JSON Schema names. Synonyms must have
// equal values.
func (t *translator) copyKeywords(in, out map[string]any, at string, names ...string) {
	for _, pair := range names {
		from, to, _ := strings.Cut(pair, ":")
		v, given := in[from]
		if !given {
			continue
		}
		if old, twice := out[to]; twice && fmt.Sprint(old) != fmt.Sprint(v) {
			t.addProblem(appendPointer(at, from), "contradicts %s, which means the same; keep one", to)
		}
		out[to] = v
	}
}

// refuseKeywords refuses constraints that the kind cannot have. Gati's own validator
// ignores them, so they would silently have no effect.
func (t *translator) refuseKeywords(in map[string]any, at string, names ...string) {
	for _, name := range names {
		if _, given := in[name]; given {
			t.addProblem(appendPointer(at, name), "has no effect on a %v; remove it", in["kind"])
		}
	}
}
