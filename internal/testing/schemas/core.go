package schemas

import "math/rand"

var core = []step{
	{"type", typeStep}, {"integer", integerStep}, {"enum", enumStep}, {"const", constStep},
	{"minimum", lowStep("minimum")}, {"exclusiveMinimum", lowStep("exclusiveMinimum")},
	{"maximum", highStep("maximum")}, {"exclusiveMaximum", highStep("exclusiveMaximum")}, {"open bound", openStep},
	{"minLength", countStep("string", "minLength", "maxLength", true)}, {"maxLength", countStep("string", "minLength", "maxLength", false)},
	{"minItems", countStep("array", "minItems", "maxItems", true)}, {"maxItems", countStep("array", "minItems", "maxItems", false)},
	{"required", requiredStep}, {"properties", propertiesStep}, {"additionalProperties", closedStep}, {"additionalProperties schema", extraStep},
	{"property of a closed object", openPropertyStep},
	{"items", itemsStep}, {"prefixItems", prefixStep}, {"$ref", refStep}, {"allOf", allOfStep}, {"enum of a type", enumOfTypeStep},
}

var typeNames = []string{"string", "boolean", "object", "array", "null", "integer"}

// typeStep drops types from a list.
func typeStep(r *rand.Rand) (any, any) {
	names := List{}
	for _, i := range r.Perm(len(typeNames)) {
		names = append(names, typeNames[i])
	}
	wide := 2 + r.Intn(len(names)-2)
	narrow := 1 + r.Intn(wide-1)
	if narrow == 1 && r.Intn(2) == 0 {
		return Doc{"type": names[0]}, Doc{"type": names[:wide]}
	}
	return Doc{"type": names[:narrow]}, Doc{"type": names[:wide]}
}

func integerStep(r *rand.Rand) (any, any) {
	low := r.Intn(10)
	return addCommonFields(Doc{"minimum": low}, Doc{"type": "integer"}, Doc{"type": "number"})
}

var values = List{"a", "b", "c", "", 0, 1, 2.5, -7, true, false, nil, List{}, List{1, "x"}, Doc{}, Doc{"k": 1}}

func enumStep(r *rand.Rand) (any, any) {
	all := List{}
	for _, i := range r.Perm(len(values)) {
		all = append(all, values[i])
	}
	wide := 2 + r.Intn(len(all)-2)
	return Doc{"enum": all[:1+r.Intn(wide-1)]}, Doc{"enum": all[:wide]}
}

func enumOfTypeStep(r *rand.Rand) (any, any) {
	if r.Intn(2) == 0 {
		return Doc{"enum": List{"a", "bb", "ccc"}}, Doc{"type": "string", "minLength": 1}
	}
	return Doc{"enum": List{1, 5, 9}, "type": "integer"}, Doc{"type": "integer", "minimum": 1, "maximum": 9}
}

func constStep(r *rand.Rand) (any, any) {
	v, w := values[r.Intn(7)], values[7+r.Intn(len(values)-7)]
	if r.Intn(2) == 0 {
		return Doc{"const": v}, Doc{"enum": List{w, v}}
	}
	return Doc{"const": v}, Doc{}
}

func lowStep(keyword string) func(*rand.Rand) (any, any) {
	return func(r *rand.Rand) (any, any) {
		low := r.Intn(20) - 10
		base := Doc{"type": pickOne(r, "integer", "number")}
		if r.Intn(2) == 0 {
			base["maximum"] = low + 20
		}
		wide := Doc{keyword: low}
		if r.Intn(4) == 0 {
			wide = Doc{}
		}
		return addCommonFields(base, Doc{keyword: low + 1 + r.Intn(5)}, wide)
	}
}

func highStep(keyword string) func(*rand.Rand) (any, any) {
	return func(r *rand.Rand) (any, any) {
		high := r.Intn(20)
		base := Doc{"type": pickOne(r, "integer", "number")}
		if r.Intn(2) == 0 {
			base["minimum"] = high - 30
		}
		wide := Doc{keyword: high}
		if r.Intn(4) == 0 {
			wide = Doc{}
		}
		return addCommonFields(base, Doc{keyword: high - 1 - r.Intn(5)}, wide)
	}
}

// openStep leaves out the bound itself.
func openStep(r *rand.Rand) (any, any) {
	low := r.Intn(9)
	base := Doc{"type": pickOne(r, "integer", "number")}
	if r.Intn(2) == 0 {
		return addCommonFields(base, Doc{"exclusiveMinimum": low}, Doc{"minimum": low})
	}
	return addCommonFields(base, Doc{"exclusiveMaximum": low}, Doc{"maximum": low})
}

func countStep(typeName, least, most string, low bool) func(*rand.Rand) (any, any) {
	return func(r *rand.Rand) (any, any) {
		at := 1 + r.Intn(8)
		by := 1 + r.Intn(3)
		if low {
			wide := Doc{least: at - 1}
			if at == 1 && r.Intn(2) == 0 {
				wide = Doc{}
			}
			return addCommonFields(Doc{"type": typeName, most: 20}, Doc{least: at + by - 1}, wide)
		}
		wide := Doc{most: at + by}
		if r.Intn(4) == 0 {
			wide = Doc{}
		}
		return addCommonFields(Doc{"type": typeName, least: r.Intn(at + 1)}, Doc{most: at}, wide)
	}
}

// makeLeaf returns a schema that accepts something and refuses something.
func makeLeaf(r *rand.Rand) Doc {
	switch r.Intn(6) {
	case 0:
		return Doc{"type": "string", "minLength": r.Intn(3), "maxLength": 3 + r.Intn(5)}
	case 1:
		return Doc{"type": "integer", "minimum": r.Intn(5)}
	case 2:
		return Doc{"type": "number", "maximum": r.Intn(5)}
	case 3:
		return Doc{"enum": List{"x", "y", 3}}
	case 4:
		return Doc{"type": List{"boolean", "null"}}
	}
	return Doc{"type": "array", "items": Doc{"type": "string"}, "maxItems": 3}
}

func propsOf(r *rand.Rand, names ...string) Doc {
	props := Doc{}
	for _, name := range names {
		props[name] = makeLeaf(r)
	}
	return props
}

func requiredStep(r *rand.Rand) (any, any) {
	base := Doc{"type": "object", "properties": propsOf(r, "a", "b", "c")}
	if r.Intn(2) == 0 {
		base["additionalProperties"] = false
	}
	switch r.Intn(3) {
	case 0:
		return addCommonFields(base, Doc{"required": List{"a"}}, Doc{})
	case 1:
		return addCommonFields(base, Doc{"required": List{"a", "b"}}, Doc{"required": List{"b"}})
	}
	return addCommonFields(base, Doc{"required": List{"b", "a", "c"}}, Doc{"required": List{"c", "b"}})
}

func propertiesStep(r *rand.Rand) (any, any) {
	props, fewer := propsOf(r, "a", "b"), Doc{}
	fewer["a"] = props["a"]
	return addCommonFields(Doc{"type": "object"}, Doc{"properties": props}, Doc{"properties": fewer})
}

func closedStep(r *rand.Rand) (any, any) {
	base := Doc{"type": "object", "properties": propsOf(r, "a", "b")}
	if r.Intn(2) == 0 {
		base["required"] = List{"a"}
	}
	return addCommonFields(base, Doc{"additionalProperties": false}, pickOne(r, Doc{}, Doc{"additionalProperties": true}, Doc{"additionalProperties": makeLeaf(r)}))
}

func extraStep(r *rand.Rand) (any, any) {
	base := Doc{"type": "object", "properties": propsOf(r, "a")}
	return addCommonFields(base, Doc{"additionalProperties": Doc{"type": "integer"}}, Doc{"additionalProperties": Doc{"type": pickOne[any](r, "number", List{"integer", "null"})}})
}

// openPropertyStep names one more property of a closed object.
func openPropertyStep(r *rand.Rand) (any, any) {
	props := propsOf(r, "a", "b", "c")
	fewer := Doc{"a": props["a"], "b": props["b"]}
	return addCommonFields(Doc{"type": "object", "additionalProperties": false}, Doc{"properties": fewer}, Doc{"properties": props})
}

func itemsStep(r *rand.Rand) (any, any) {
	base := Doc{"type": "array"}
	if r.Intn(2) == 0 {
		base["minItems"] = 1
	}
	if r.Intn(3) == 0 {
		return addCommonFields(base, Doc{"items": makeLeaf(r)}, Doc{})
	}
	return addCommonFields(base, Doc{"items": Doc{"type": "integer"}}, Doc{"items": Doc{"type": "number"}})
}

func prefixStep(r *rand.Rand) (any, any) {
	first, second := makeLeaf(r), makeLeaf(r)
	switch r.Intn(4) {
	case 0:
		return addCommonFields(Doc{"type": "array"}, Doc{"prefixItems": List{first, second}}, Doc{"prefixItems": List{first}})
	case 1:
		return addCommonFields(Doc{"type": "array", "prefixItems": List{first}}, Doc{"items": false}, Doc{})
	case 2:
		return addCommonFields(Doc{"type": "array"}, Doc{"prefixItems": List{first, Doc{"type": "integer"}}}, Doc{"prefixItems": List{first, Doc{"type": "number"}}})
	}
	return addCommonFields(Doc{"type": "array", "items": false}, Doc{"prefixItems": List{first}}, Doc{"prefixItems": List{first, second}})
}

// refStep says one side by reference and the other in place.
func refStep(r *rand.Rand) (any, any) {
	narrow, wide := lowStep("minimum")(r)
	if r.Intn(2) == 0 {
		return makeRef("n", narrow), wide
	}
	return narrow, makeRef("w", wide)
}

func makeRef(name string, to any) Doc {
	return Doc{"$ref": "#/$defs/" + name, "$defs": Doc{name: to}}
}

// allOfStep adds a branch that says something new.
func allOfStep(r *rand.Rand) (any, any) {
	first := Doc{"type": "object", "properties": propsOf(r, "a"), "required": List{"a"}}
	second := Doc{"properties": propsOf(r, "b"), "required": List{"b"}}
	if r.Intn(2) == 0 {
		return Doc{"allOf": List{first, second}}, Doc{"allOf": List{first}}
	}
	return Doc{"allOf": List{second, first}}, first
}
