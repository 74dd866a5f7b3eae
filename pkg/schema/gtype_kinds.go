package schema

// textGType translates min and max to lengths, as the contracts define them.
func textGType(t *translator, in, out map[string]any, at string, _ int) {
	out["type"] = "string"
	t.copyKeywords(in, out, at, "minLength:minLength", "min:minLength", "maxLength:maxLength", "max:maxLength", "pattern:pattern")
}

func numberGType(t *translator, in, out map[string]any, at string, _ int) {
	out["type"] = "number"
	t.copyKeywords(in, out, at, "min:minimum", "max:maximum")
	t.refuseKeywords(in, at, "minLength", "maxLength", "pattern")
}

func booleanGType(t *translator, in, out map[string]any, at string, _ int) {
	out["type"] = "boolean"
	t.refuseKeywords(in, at, "min", "max", "minLength", "maxLength", "pattern")
}

func arrayGType(t *translator, in, out map[string]any, at string, depth int) {
	out["type"] = "array"
	items, given := in["items"]
	if !given {
		t.addProblem(at, "is an array without items; define what it holds")
		return
	}
	out["items"] = t.translateSchema(items, appendPointer(at, "items"), depth+1)
	t.copyKeywords(in, out, at, "minItems:minItems", "maxItems:maxItems")
}

func objectGType(t *translator, in, out map[string]any, at string, depth int) {
	out["type"] = "object"
	properties, ok := in["properties"].(map[string]any)
	if !ok {
		t.addProblem(at, "is an object without properties; name them, or write properties: {}")
		return
	}
	translated := make(map[string]any, len(properties))
	for _, name := range sortedKeys(properties) {
		translated[name] = t.translateSchema(properties[name], appendPointer(appendPointer(at, "properties"), name), depth+1)
	}
	out["properties"] = translated
	t.copyKeywords(in, out, at, "required:required")
	if extra, given := in["additionalProperties"]; given {
		if _, isBool := extra.(bool); !isBool {
			t.addProblem(appendPointer(at, "additionalProperties"), "is %s; in Gati's form it is true or false", describeValue(extra))
		}
		out["additionalProperties"] = extra
	}
}
