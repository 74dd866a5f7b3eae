package schemas

import "math/rand"

var more = []step{
	{"multipleOf", multipleStep}, {"pattern", patternStep}, {"format", formatStep}, {"patternProperties", patternPropertiesStep},
	{"propertyNames", namesStep}, {"minProperties", propertyCountStep(true)}, {"maxProperties", propertyCountStep(false)},
	{"dependentRequired", needsStep}, {"dependentSchemas", impliesStep}, {"contains", containsStep}, {"minContains", minContainsStep},
	{"maxContains", maxContainsStep}, {"uniqueItems", uniqueStep}, {"anyOf", anyOfStep}, {"oneOf", oneOfStep}, {"not", notStep},
	{"if", ifStep}, {"unevaluatedProperties", restStep}, {"unevaluatedItems", restItemsStep}, {"recursion", recursionStep}, {"nullable", nullableStep},
}

func multipleStep(r *rand.Rand) (any, any) {
	base := Doc{"type": pickOne(r, "integer", "number")}
	n := 2 + r.Intn(5)
	switch r.Intn(3) {
	case 0:
		return addCommonFields(base, Doc{"multipleOf": n}, Doc{})
	case 1:
		return addCommonFields(base, Doc{"multipleOf": n * (2 + r.Intn(3))}, Doc{"multipleOf": n})
	}
	return addCommonFields(Doc{"type": "number"}, Doc{"multipleOf": 0.5}, Doc{"multipleOf": 0.1})
}

func patternStep(r *rand.Rand) (any, any) {
	p := pickOne(r, "^[a-z]+$", "^a", "[0-9]{3}", "^(on|off)$", `^\d{4}-\d{2}$`, "é", "^[A-Z]{2}[0-9]*$")
	base := Doc{"type": "string"}
	switch r.Intn(3) {
	case 0:
		return addCommonFields(base, Doc{"pattern": p}, Doc{})
	case 1:
		return addCommonFields(Doc{"type": "string", "maxLength": 40}, Doc{"pattern": p}, Doc{})
	}
	return Doc{"type": "string", "pattern": p}, Doc{"type": List{"string", "null"}, "pattern": p}
}

func formatStep(r *rand.Rand) (any, any) {
	f := pickOne(r, "date-time", "date", "email", "uuid", "ipv4", "ipv6", "uri", "hostname", "time")
	if r.Intn(4) == 0 {
		return Doc{"type": "string", "format": "uri"}, Doc{"type": "string", "format": "uri-reference"}
	}
	return addCommonFields(Doc{"type": "string"}, Doc{"format": f}, Doc{})
}

func patternPropertiesStep(r *rand.Rand) (any, any) {
	base := Doc{"type": "object", "properties": propsOf(r, "a")}
	switch r.Intn(4) {
	case 0:
		return addCommonFields(base, Doc{"patternProperties": Doc{"^x-": makeLeaf(r)}}, Doc{})
	case 1:
		return addCommonFields(base, Doc{"patternProperties": Doc{"^x-": Doc{"type": "integer"}}}, Doc{"patternProperties": Doc{"^x-": Doc{"type": "number"}}})
	case 2:
		return addCommonFields(base, Doc{"patternProperties": Doc{"^x-": Doc{"type": "integer"}}, "additionalProperties": false}, Doc{"patternProperties": Doc{"^x-": Doc{"type": "integer"}}})
	}
	return addCommonFields(base, Doc{"additionalProperties": false}, Doc{"patternProperties": Doc{"^x-": makeLeaf(r)}, "additionalProperties": false})
}

func namesStep(r *rand.Rand) (any, any) {
	base := Doc{"type": "object"}
	switch r.Intn(4) {
	case 0:
		return addCommonFields(base, Doc{"propertyNames": Doc{"maxLength": 3}}, Doc{"propertyNames": Doc{"maxLength": 5}})
	case 1:
		return addCommonFields(base, Doc{"propertyNames": Doc{"pattern": "^[a-z]+$"}}, Doc{})
	case 2:
		return addCommonFields(base, Doc{"propertyNames": Doc{"enum": List{"a", "b"}}}, Doc{"propertyNames": Doc{"enum": List{"a", "b", "c"}}})
	}
	return addCommonFields(base, Doc{"propertyNames": Doc{"enum": List{"a", "b"}}}, Doc{"propertyNames": Doc{"maxLength": 1}})
}

func propertyCountStep(low bool) func(*rand.Rand) (any, any) {
	return func(r *rand.Rand) (any, any) {
		if low && r.Intn(3) == 0 {
			return addCommonFields(Doc{"type": "object", "properties": propsOf(r, "a", "b")}, Doc{"required": List{"a", "b"}}, Doc{"minProperties": 2})
		}
		return countStep("object", "minProperties", "maxProperties", low)(r)
	}
}

func needsStep(r *rand.Rand) (any, any) {
	base := Doc{"type": "object", "properties": propsOf(r, "a", "b", "c")}
	switch r.Intn(4) {
	case 0:
		return addCommonFields(base, Doc{"dependentRequired": Doc{"a": List{"b"}}}, Doc{})
	case 1:
		return addCommonFields(base, Doc{"dependentRequired": Doc{"a": List{"b", "c"}}}, Doc{"dependentRequired": Doc{"a": List{"c"}}})
	case 2:
		return addCommonFields(base, Doc{"required": List{"b"}}, Doc{"dependentRequired": Doc{"a": List{"b"}}})
	}
	return addCommonFields(base, Doc{"dependentRequired": Doc{"a": List{"b"}, "b": List{"c"}}}, Doc{"dependentRequired": Doc{"a": List{"c"}}})
}

func impliesStep(r *rand.Rand) (any, any) {
	base := Doc{"type": "object", "properties": propsOf(r, "a", "b")}
	inner := Doc{"required": List{"b"}}
	switch r.Intn(3) {
	case 0:
		return addCommonFields(base, Doc{"dependentSchemas": Doc{"a": inner}}, Doc{})
	case 1:
		return addCommonFields(base, inner, Doc{"dependentSchemas": Doc{"a": inner}})
	}
	return addCommonFields(Doc{"type": "object"}, Doc{"dependentSchemas": Doc{"a": Doc{"properties": Doc{"b": Doc{"type": "integer"}}}}}, Doc{"dependentSchemas": Doc{"a": Doc{"properties": Doc{"b": Doc{"type": "number"}}}}})
}

func containsStep(r *rand.Rand) (any, any) {
	base := Doc{"type": "array"}
	switch r.Intn(3) {
	case 0:
		return addCommonFields(base, Doc{"contains": makeLeaf(r)}, Doc{})
	case 1:
		return addCommonFields(base, Doc{"contains": Doc{"type": "integer"}}, Doc{"contains": Doc{"type": "number"}})
	}
	return addCommonFields(base, Doc{"items": Doc{"type": "integer"}, "minItems": 1}, Doc{"contains": Doc{"type": "number"}})
}

func minContainsStep(r *rand.Rand) (any, any) {
	n := r.Intn(3)
	return addCommonFields(Doc{"type": "array", "contains": Doc{"type": "string"}}, Doc{"minContains": n + 1 + r.Intn(2)}, Doc{"minContains": n})
}

func maxContainsStep(r *rand.Rand) (any, any) {
	n := 1 + r.Intn(3)
	wide := Doc{"maxContains": n + 1}
	if r.Intn(3) == 0 {
		wide = Doc{}
	}
	return addCommonFields(Doc{"type": "array", "contains": Doc{"type": "string"}}, Doc{"maxContains": n}, wide)
}

func uniqueStep(r *rand.Rand) (any, any) {
	base := Doc{"type": "array"}
	if r.Intn(2) == 0 {
		base["items"] = makeLeaf(r)
	}
	return addCommonFields(base, Doc{"uniqueItems": true}, pickOne(r, Doc{}, Doc{"uniqueItems": false}))
}

func branchesOf(r *rand.Rand) List {
	all := List{Doc{"type": "string", "maxLength": 5}, Doc{"type": "integer", "minimum": 3}, Doc{"type": "boolean"}, Doc{"type": "object", "required": List{"a"}}, Doc{"type": "null"}}
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}

func anyOfStep(r *rand.Rand) (any, any) {
	all := branchesOf(r)
	n := 1 + r.Intn(3)
	switch r.Intn(4) {
	case 0:
		return Doc{"anyOf": all[:n]}, Doc{"anyOf": all[:n+1]}
	case 1:
		return all[0], Doc{"anyOf": all[:n+1]}
	case 2:
		return kindsOf("card", "cash"), kindsOf("card", "cash", "bank")
	}
	return Doc{"type": "integer", "minimum": 0, "maximum": 10}, Doc{"anyOf": List{Doc{"type": "integer", "minimum": 5}, Doc{"type": "integer", "maximum": 6}}}
}

// kindsOf is a union told apart by a property.
func kindsOf(names ...string) Doc {
	list := List{}
	for _, name := range names {
		list = append(list, Doc{"type": "object", "properties": Doc{"kind": Doc{"const": name}, name: Doc{"type": "string"}}, "required": List{"kind"}})
	}
	return Doc{"anyOf": list}
}

func oneOfStep(r *rand.Rand) (any, any) {
	all := branchesOf(r)
	n := 1 + r.Intn(3)
	switch r.Intn(4) {
	case 0:
		return Doc{"oneOf": all[:n]}, Doc{"oneOf": all[:n+1]}
	case 1:
		return Doc{"oneOf": all[:n]}, Doc{"anyOf": all[:n+1]}
	case 2:
		narrow, wide := kindsOf("card", "cash"), kindsOf("card", "cash", "bank")
		return Doc{"oneOf": narrow["anyOf"]}, Doc{"oneOf": wide["anyOf"]}
	}
	both := List{Doc{"type": "integer", "maximum": 6}, Doc{"type": "integer", "minimum": 5}}
	return Doc{"oneOf": both}, Doc{"anyOf": both}
}

func notStep(r *rand.Rand) (any, any) {
	switch r.Intn(4) {
	case 0:
		return Doc{"not": Doc{"type": List{"string", "null"}}}, Doc{"not": Doc{"type": "null"}}
	case 1:
		return Doc{"type": "integer", "not": Doc{"enum": List{1, 2}}}, Doc{"type": "integer", "not": Doc{"enum": List{1}}}
	case 2:
		return Doc{"type": "object", "not": Doc{"required": List{"a"}}}, Doc{"type": "object", "not": Doc{"required": List{"a", "b"}}}
	}
	return Doc{"type": "string", "minLength": 3}, Doc{"not": Doc{"type": "string", "maxLength": 1 + r.Intn(2)}}
}

func ifStep(r *rand.Rand) (any, any) {
	cond := Doc{"properties": Doc{"kind": Doc{"const": "card"}}, "required": List{"kind"}}
	base := Doc{"type": "object", "if": cond}
	switch r.Intn(4) {
	case 0:
		return addCommonFields(base, Doc{"then": Doc{"required": List{"number"}}}, Doc{})
	case 1:
		return addCommonFields(base, Doc{"then": Doc{"required": List{"number", "cvc"}}}, Doc{"then": Doc{"required": List{"number"}}})
	case 2:
		return addCommonFields(base, Doc{"else": Doc{"properties": Doc{"x": Doc{"type": "integer"}}}}, Doc{"else": Doc{"properties": Doc{"x": Doc{"type": "number"}}}})
	}
	return Doc{"type": "object", "required": List{"number"}}, Doc{"type": "object", "if": cond, "then": Doc{"required": List{"number"}}}
}

func restStep(r *rand.Rand) (any, any) {
	first, second := Doc{"properties": propsOf(r, "a")}, Doc{"properties": propsOf(r, "b")}
	base := Doc{"type": "object", "allOf": List{first, second}}
	switch r.Intn(4) {
	case 0:
		return addCommonFields(base, Doc{"unevaluatedProperties": false}, Doc{})
	case 1:
		return addCommonFields(Doc{"type": "object", "unevaluatedProperties": false}, Doc{"allOf": List{first}}, Doc{"allOf": List{first, second}})
	case 2:
		return addCommonFields(base, Doc{"unevaluatedProperties": Doc{"type": "integer"}}, Doc{"unevaluatedProperties": Doc{"type": "number"}})
	}
	either := Doc{"type": "object", "anyOf": List{Doc{"properties": propsOf(r, "a"), "required": List{"a"}}, Doc{"properties": propsOf(r, "b"), "required": List{"b"}}}}
	return addCommonFields(either, Doc{"unevaluatedProperties": false}, pickOne(r, Doc{}, Doc{"unevaluatedProperties": Doc{"type": "string"}}))
}

func restItemsStep(r *rand.Rand) (any, any) {
	base := Doc{"type": "array", "allOf": List{Doc{"prefixItems": List{makeLeaf(r)}}}}
	switch r.Intn(3) {
	case 0:
		return addCommonFields(base, Doc{"unevaluatedItems": false}, Doc{})
	case 1:
		return addCommonFields(base, Doc{"unevaluatedItems": Doc{"type": "integer"}}, Doc{"unevaluatedItems": Doc{"type": "number"}})
	}
	return addCommonFields(Doc{"type": "array", "contains": Doc{"type": "string"}}, Doc{"unevaluatedItems": false}, Doc{"unevaluatedItems": Doc{"type": "null"}})
}

func recursionStep(r *rand.Rand) (any, any) {
	tree := func(value any) Doc {
		return Doc{"$ref": "#/$defs/t", "$defs": Doc{"t": Doc{"type": "object", "properties": Doc{"v": value, "next": Doc{"$ref": "#/$defs/t"}, "all": Doc{"type": "array", "items": Doc{"$ref": "#/$defs/t"}}}}}}
	}
	if r.Intn(2) == 0 {
		return tree(Doc{"type": "integer"}), tree(Doc{"type": "number"})
	}
	return tree(Doc{"enum": List{"a"}}), tree(Doc{"enum": List{"a", "b"}})
}

func nullableStep(r *rand.Rand) (any, any) {
	t := pickOne(r, "string", "integer", "object")
	switch r.Intn(3) {
	case 0:
		return Doc{"type": t}, Doc{"type": t, "nullable": true}
	case 1:
		return Doc{"type": t}, Doc{"anyOf": List{Doc{"type": t}, Doc{"type": "null"}}}
	}
	return Doc{"type": List{t, "null"}}, Doc{"anyOf": List{Doc{"type": "null"}, Doc{"type": t}, Doc{"type": "boolean"}}}
}
