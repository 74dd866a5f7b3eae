package schema

// textGType: min and max of a string are its length, as the contracts say.
func textGType(t *translator, in, out map[string]any, at string, _ int) {
	out["type"] = "string"
	t.take(in, out, at, "minLength:minLength", "min:minLength", "maxLength:maxLength", "max:maxLength", "pattern:pattern")
}

func numberGType(t *translator, in, out map[string]any, at string, _ int) {
	out["type"] = "number"
	t.take(in, out, at, "min:minimum", "max:maximum")
	t.unfit(in, at, "minLength", "maxLength", "pattern")
}

func booleanGType(t *translator, in, out map[string]any, at string, _ int) {
	out["type"] = "boolean"
	t.unfit(in, at, "min", "max", "minLength", "maxLength", "pattern")
}

func arrayGType(t *translator, in, out map[string]any, at string, depth int) {
	out["type"] = "array"
	items, given := in["items"]
	if !given {
		t.fault(at, "is an array without items; say what it holds")
		return
	}
	out["items"] = t.schema(items, below(at, "items"), depth+1)
	t.take(in, out, at, "minItems:minItems", "maxItems:maxItems")
}

func objectGType(t *translator, in, out map[string]any, at string, depth int) {
	out["type"] = "object"
	properties, ok := in["properties"].(map[string]any)
	if !ok {
		t.fault(at, "is an object without properties; name them, or write properties: {}")
		return
	}
	translated := make(map[string]any, len(properties))
	for _, name := range sortedKeys(properties) {
		translated[name] = t.schema(properties[name], below(below(at, "properties"), name), depth+1)
	}
	out["properties"] = translated
	t.take(in, out, at, "required:required")
	if extra, given := in["additionalProperties"]; given {
		if _, isBool := extra.(bool); !isBool {
			t.fault(below(at, "additionalProperties"), "is %s; in Gati's form it is true or false", told(extra))
		}
		out["additionalProperties"] = extra
	}
}
