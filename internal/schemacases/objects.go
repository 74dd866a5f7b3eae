package cases

func requiredCases() Section {
	return Section{"required", "", []Case{
		{"a new required property", `{"type":"object","properties":{"a":{}}}`, `{"type":"object","properties":{"a":{},"b":{}},"required":["b"]}`, Breaks, Keeps},
		{"a new required property with a default", `{"type":"object"}`, `{"type":"object","properties":{"b":{"default":1}},"required":["b"]}`, Breaks, Keeps},
		{"a property becomes required", `{"type":"object","properties":{"a":{"type":"string"}}}`, `{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`, Breaks, Keeps},
		{"a property becomes optional", `{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`, `{"type":"object","properties":{"a":{"type":"string"}}}`, Keeps, Breaks},
		{"a required property is removed", `{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`, `{"type":"object"}`, Keeps, Breaks},
		{"required through allOf", `{"type":"object","required":["a","b"]}`, `{"allOf":[{"type":"object","required":["a"]},{"required":["b"]}]}`, Keeps, Keeps},
		{"required without a property of the name", `{"type":"object"}`, `{"type":"object","required":["a"]}`, Breaks, Keeps},
		{"required of something that is no object", `{"type":"string"}`, `{"type":"string","required":["a"]}`, Keeps, Keeps},
	}}
}

func propertyCases() Section {
	return Section{"properties", "A schema that does not say additionalProperties is open. Callers rely on what it declares: a property that is new, optional and not declared before breaks no caller, although the old schema accepts any value under its name. A name is declared by properties, patternProperties, required, const, enum, dependentRequired, dependentSchemas, or an enum or a pattern of propertyNames. An explicit additionalProperties: true is taken literally.", []Case{
		{"a new optional property", `{"type":"object","properties":{"a":{}}}`, `{"type":"object","properties":{"a":{},"b":{"type":"string"}}}`, Keeps, Keeps},
		{"an optional property is removed", `{"type":"object","properties":{"a":{"type":"string"},"b":{}}}`, `{"type":"object","properties":{"b":{}}}`, Keeps, Keeps},
		{"a property changes its type", `{"type":"object","properties":{"a":{"type":"string"}}}`, `{"type":"object","properties":{"a":{"type":"integer"}}}`, Breaks, Breaks},
		{"a property is narrowed", `{"type":"object","properties":{"a":{"type":"string"}}}`, `{"type":"object","properties":{"a":{"type":"string","minLength":1}}}`, Breaks, Keeps},
		{"a property is widened", `{"type":"object","properties":{"a":{"type":"integer"}}}`, `{"type":"object","properties":{"a":{"type":["integer","null"]}}}`, Keeps, Breaks},
		{"a nested property is required", `{"type":"object","properties":{"a":{"type":"object","properties":{"b":{}}}}}`, `{"type":"object","properties":{"a":{"type":"object","properties":{"b":{}},"required":["b"]}}}`, Breaks, Keeps},
		{"nested properties are declared", `{"type":"object","properties":{"a":{"type":"object"}}}`, `{"type":"object","properties":{"a":{"type":"object","properties":{"b":{"type":"string"}}}}}`, Keeps, Keeps},
		{"a new optional property where anything is explicit", `{"type":"object","additionalProperties":true}`, `{"type":"object","properties":{"b":{"type":"string"}},"additionalProperties":true}`, Breaks, Keeps},
		{"a property known from a constant", `{"const":{"b":1}}`, `{"type":"object","properties":{"b":{"type":"string"}}}`, Breaks, Breaks},
		{"a property known from a constant inside", `{"type":"object","properties":{"a":{"const":{"b":1}}}}`, `{"type":"object","properties":{"a":{"type":"object","properties":{"b":{"type":"string"}}}}}`, Breaks, Breaks},
		{"a property known from propertyNames", `{"type":"object","propertyNames":{"enum":["b","c"]}}`, `{"type":"object","properties":{"b":{"type":"string"}}}`, Breaks, Breaks},
		{"a property known from dependentRequired", `{"type":"object","dependentRequired":{"c":["b"]}}`, `{"type":"object","properties":{"b":{"type":"string"}}}`, Breaks, Breaks},
		{"a property known from dependentSchemas", `{"type":"object","dependentSchemas":{"b":{"required":["c"]}}}`, `{"type":"object","properties":{"b":{"type":"string"}}}`, Breaks, Breaks},
		{"a property is renamed", `{"type":"object","properties":{"userName":{"type":"string"}}}`, `{"type":"object","properties":{"name":{"type":"string"}}}`, Keeps, Keeps},
		{"a required property is renamed", `{"type":"object","properties":{"userName":{"type":"string"}},"required":["userName"]}`, `{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}`, Breaks, Breaks},
		{"the order of properties", `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"null"}}}`, `{"type":"object","properties":{"b":{"type":"null"},"a":{"type":"string"}}}`, Keeps, Keeps},
		{"a property must be absent", `{"type":"object","properties":{"a":{"type":"string"}}}`, `{"type":"object","properties":{"a":false}}`, Breaks, Keeps},
		{"a property that cannot be there is narrowed", `{"type":"object","properties":{"a":false}}`, `{"type":"object","properties":{"a":{"type":"string"}}}`, Keeps, Breaks},
	}}
}

func extraCases() Section {
	return Section{"additionalProperties", "A closed object refuses what it does not name. Closing a request breaks callers that send more; opening a response breaks callers that refuse more.", []Case{
		{"an open object is closed", `{"type":"object","properties":{"a":{}}}`, `{"type":"object","properties":{"a":{}},"additionalProperties":false}`, Breaks, Keeps},
		{"a closed object is opened", `{"type":"object","properties":{"a":{}},"additionalProperties":false}`, `{"type":"object","properties":{"a":{}}}`, Keeps, Breaks},
		{"true is said or left out", `{"type":"object"}`, `{"type":"object","additionalProperties":true}`, Keeps, Keeps},
		{"a closed object gains a property", `{"type":"object","properties":{"a":{}},"additionalProperties":false}`, `{"type":"object","properties":{"a":{},"b":{}},"additionalProperties":false}`, Keeps, Breaks},
		{"a closed object loses a property", `{"type":"object","properties":{"a":{},"b":{}},"additionalProperties":false}`, `{"type":"object","properties":{"a":{}},"additionalProperties":false}`, Breaks, Keeps},
		{"extra values get a type", `{"type":"object"}`, `{"type":"object","additionalProperties":{"type":"string"}}`, Breaks, Keeps},
		{"extra values get another type", `{"type":"object","additionalProperties":{"type":"integer"}}`, `{"type":"object","additionalProperties":{"type":"string"}}`, Breaks, Breaks},
		{"extra values are widened", `{"type":"object","additionalProperties":{"type":"integer"}}`, `{"type":"object","additionalProperties":{"type":"number"}}`, Keeps, Breaks},
		{"a property is moved to the extras", `{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":{"type":"string"}}`, `{"type":"object","additionalProperties":{"type":"string"}}`, Keeps, Keeps},
		{"closed below allOf sees no siblings", `{"type":"object","properties":{"a":{}}}`, `{"allOf":[{"properties":{"a":{}}},{"type":"object","additionalProperties":false}]}`, Breaks, Keeps},
	}}
}

func patternCases() Section {
	return Section{"patternProperties and propertyNames", "", []Case{
		{"names of a pattern get a type", `{"type":"object"}`, `{"type":"object","patternProperties":{"^x-":{"type":"string"}}}`, Breaks, Keeps},
		{"names of a pattern are widened", `{"type":"object","patternProperties":{"^x-":{"type":"integer"}}}`, `{"type":"object","patternProperties":{"^x-":{"type":"number"}}}`, Keeps, Breaks},
		{"a closed object lets a pattern through", `{"type":"object","additionalProperties":false}`, `{"type":"object","patternProperties":{"^x-":{}},"additionalProperties":false}`, Keeps, Breaks},
		{"a declared name becomes one of a pattern", `{"type":"object","properties":{"x-a":{"type":"string"}},"additionalProperties":false}`, `{"type":"object","patternProperties":{"^x-":{"type":"string"}},"additionalProperties":false}`, Keeps, Breaks},
		{"names are bounded", `{"type":"object"}`, `{"type":"object","propertyNames":{"maxLength":10}}`, Breaks, Keeps},
		{"names are bounded less", `{"type":"object","propertyNames":{"maxLength":10}}`, `{"type":"object","propertyNames":{"maxLength":20}}`, Keeps, Breaks},
		{"names are listed", `{"type":"object","propertyNames":{"enum":["a","b"]}}`, `{"type":"object","propertyNames":{"enum":["a"]}}`, Breaks, Keeps},
		{"a closed object has listed names", `{"type":"object","properties":{"a":{},"b":{}},"additionalProperties":false}`, `{"type":"object","propertyNames":{"enum":["a","b"]}}`, Keeps, Keeps},
	}}
}

func countCases() Section {
	return Section{"minProperties and maxProperties", "", []Case{
		{"minProperties is set", `{"type":"object"}`, `{"type":"object","minProperties":1}`, Breaks, Keeps},
		{"minProperties that required implies", `{"type":"object","required":["a","b"]}`, `{"type":"object","minProperties":2}`, Keeps, Breaks},
		{"a lower maxProperties", `{"type":"object","maxProperties":5}`, `{"type":"object","maxProperties":4}`, Breaks, Keeps},
		{"maxProperties that a closed object implies", `{"type":"object","properties":{"a":{}},"additionalProperties":false}`, `{"type":"object","maxProperties":1}`, Keeps, Breaks},
		{"more is wanted than is allowed", `{"type":"object"}`, `{"type":"object","minProperties":2,"maxProperties":1}`, Breaks, Keeps},
	}}
}

func dependentCases() Section {
	return Section{"dependentRequired and dependentSchemas", "", []Case{
		{"a property needs another", `{"type":"object","properties":{"card":{},"cvc":{}}}`, `{"type":"object","properties":{"card":{},"cvc":{}},"dependentRequired":{"card":["cvc"]}}`, Breaks, Keeps},
		{"a property needs one more", `{"type":"object","dependentRequired":{"a":["b"]}}`, `{"type":"object","dependentRequired":{"a":["b","c"]}}`, Breaks, Keeps},
		{"what is needed was required", `{"type":"object","required":["b"]}`, `{"type":"object","dependentRequired":{"a":["b"]}}`, Keeps, Breaks},
		{"needs that follow from each other", `{"type":"object","dependentRequired":{"a":["b"],"b":["c"]}}`, `{"type":"object","dependentRequired":{"a":["c"]}}`, Keeps, Breaks},
		{"a schema when a property is there", `{"type":"object","properties":{"a":{}}}`, `{"type":"object","properties":{"a":{}},"dependentSchemas":{"a":{"required":["b"]}}}`, Breaks, Keeps},
		{"the same, said in two ways", `{"type":"object","dependentRequired":{"a":["b"]}}`, `{"type":"object","dependentSchemas":{"a":{"required":["b"]}}}`, Keeps, Keeps},
	}}
}
