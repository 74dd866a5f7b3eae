package cases

func combinedCases() Section {
	return Section{"allOf, anyOf, oneOf", "Branches are compared by what they accept, not by their order.", []Case{
		{"a branch of allOf more", `{"allOf":[{"type":"object","required":["a"]}]}`, `{"allOf":[{"type":"object","required":["a"]},{"required":["b"]}]}`, Breaks, Keeps},
		{"allOf is written out", `{"allOf":[{"type":"integer"},{"minimum":0}]}`, `{"type":"integer","minimum":0}`, Keeps, Keeps},
		{"tightened inside allOf", `{"allOf":[{"type":"string","maxLength":10}]}`, `{"allOf":[{"type":"string","maxLength":5}]}`, Breaks, Keeps},
		{"a branch of anyOf more", `{"anyOf":[{"type":"string"}]}`, `{"anyOf":[{"type":"string"},{"type":"integer"}]}`, Keeps, Breaks},
		{"a branch of anyOf fewer", `{"anyOf":[{"type":"string"},{"type":"integer"}]}`, `{"anyOf":[{"type":"string"}]}`, Breaks, Keeps},
		{"a branch of anyOf is narrowed", `{"anyOf":[{"type":"string"},{"type":"integer"}]}`, `{"anyOf":[{"type":"string","maxLength":5},{"type":"integer"}]}`, Breaks, Keeps},
		{"a type becomes a union", `{"type":"string"}`, `{"anyOf":[{"type":"string"},{"type":"object"}]}`, Keeps, Breaks},
		{"the order of branches", `{"oneOf":[{"type":"string"},{"type":"null"}]}`, `{"oneOf":[{"type":"null"},{"type":"string"}]}`, Keeps, Keeps},
		{"ranges that together cover a range", `{"type":"integer","minimum":0,"maximum":10}`, `{"anyOf":[{"type":"integer","maximum":5},{"type":"integer","minimum":4}]}`, Keeps, Breaks},
		{"ranges that leave a hole", `{"type":"integer","minimum":0,"maximum":10}`, `{"anyOf":[{"type":"integer","maximum":3},{"type":"integer","minimum":5}]}`, Breaks, Breaks},
		{"oneOf becomes anyOf", `{"oneOf":[{"type":"integer"},{"minimum":5,"type":"number"}]}`, `{"anyOf":[{"type":"integer"},{"minimum":5,"type":"number"}]}`, Keeps, Breaks},
		{"anyOf becomes oneOf where branches overlap", `{"anyOf":[{"type":"integer"},{"minimum":5,"type":"number"}]}`, `{"oneOf":[{"type":"integer"},{"minimum":5,"type":"number"}]}`, Breaks, Keeps},
		{"anyOf becomes oneOf where they do not", `{"anyOf":[{"type":"integer"},{"type":"string"}]}`, `{"oneOf":[{"type":"integer"},{"type":"string"}]}`, Keeps, Keeps},
		{"a kind more in a union told apart by a property",
			`{"oneOf":[{"type":"object","properties":{"kind":{"const":"card"}},"required":["kind"]}]}`,
			`{"oneOf":[{"type":"object","properties":{"kind":{"const":"card"}},"required":["kind"]},{"type":"object","properties":{"kind":{"const":"cash"}},"required":["kind"]}]}`, Keeps, Breaks},
		{"a kind of such a union requires more",
			`{"oneOf":[{"type":"object","properties":{"kind":{"const":"card"},"no":{}},"required":["kind"]},{"type":"object","properties":{"kind":{"const":"cash"}},"required":["kind"]}]}`,
			`{"oneOf":[{"type":"object","properties":{"kind":{"const":"card"},"no":{}},"required":["kind","no"]},{"type":"object","properties":{"kind":{"const":"cash"}},"required":["kind"]}]}`, Breaks, Keeps},
		{"a kind of such a union gains an optional property",
			`{"oneOf":[{"type":"object","properties":{"kind":{"const":"card"}},"required":["kind"]},{"type":"object","properties":{"kind":{"const":"cash"}},"required":["kind"]}]}`,
			`{"oneOf":[{"type":"object","properties":{"kind":{"const":"card"},"no":{"type":"string"}},"required":["kind"]},{"type":"object","properties":{"kind":{"const":"cash"}},"required":["kind"]}]}`, Keeps, Keeps},
		{"an enum becomes a union of consts", `{"enum":["a","b"]}`, `{"oneOf":[{"const":"a"},{"const":"b"}]}`, Keeps, Keeps},
	}}
}

func negationCases() Section {
	return Section{"not", "", []Case{
		{"something is refused", `{}`, `{"not":{"type":"null"}}`, Breaks, Keeps},
		{"less is refused", `{"not":{"type":["null","string"]}}`, `{"not":{"type":"null"}}`, Keeps, Breaks},
		{"what is refused was never accepted", `{"type":"string"}`, `{"type":"string","not":{"type":"null"}}`, Keeps, Keeps},
		{"twice not", `{"type":"string"}`, `{"not":{"not":{"type":"string"}}}`, Keeps, Keeps},
		{"a value is refused", `{"type":"string"}`, `{"type":"string","not":{"const":"admin"}}`, Breaks, Keeps},
		{"a property must not be there", `{"type":"object","properties":{"a":{}}}`, `{"type":"object","properties":{"a":{}},"not":{"required":["a"]}}`, Breaks, Keeps},
		{"a bound, said by not", `{"type":"number","not":{"minimum":5}}`, `{"type":"number","exclusiveMaximum":5}`, Keeps, Keeps},
	}}
}

func conditionalCases() Section {
	const card = `"if":{"properties":{"kind":{"const":"card"}},"required":["kind"]}`
	return Section{"if, then, else", "", []Case{
		{"then is added", `{"type":"object","properties":{"kind":{},"no":{}}}`, `{"type":"object","properties":{"kind":{},"no":{}},` + card + `,"then":{"required":["no"]}}`, Breaks, Keeps},
		{"then is dropped", `{"type":"object","properties":{"kind":{},"no":{}},` + card + `,"then":{"required":["no"]}}`, `{"type":"object","properties":{"kind":{},"no":{}}}`, Keeps, Breaks},
		{"then asks for more", `{"type":"object",` + card + `,"then":{"required":["no"]}}`, `{"type":"object",` + card + `,"then":{"required":["no","cvc"]}}`, Breaks, Keeps},
		{"then asks for what was always there", `{"type":"object","required":["no"]}`, `{"type":"object",` + card + `,"then":{"required":["no"]}}`, Keeps, Breaks},
		{"the condition never holds", `{"type":"object","properties":{"kind":{"const":"cash"}}}`, `{"type":"object","properties":{"kind":{"const":"cash"}},` + card + `,"then":{"required":["no"]}}`, Keeps, Keeps},
		{"then without if says nothing", `{"type":"object"}`, `{"type":"object","then":{"required":["a"]}}`, Keeps, Keeps},
		{"else is narrowed", `{"type":"object",` + card + `,"else":{"maxProperties":5}}`, `{"type":"object",` + card + `,"else":{"maxProperties":4}}`, Breaks, Keeps},
	}}
}

func unevaluatedCases() Section {
	return Section{"unevaluatedProperties and unevaluatedItems", "These see what stands beside them, in allOf too.", []Case{
		{"what nothing speaks of is refused", `{"type":"object","allOf":[{"properties":{"a":{}}}]}`, `{"type":"object","allOf":[{"properties":{"a":{}}}],"unevaluatedProperties":false}`, Breaks, Keeps},
		{"closed in two ways", `{"type":"object","properties":{"a":{},"b":{}},"additionalProperties":false}`, `{"type":"object","allOf":[{"properties":{"a":{}}},{"properties":{"b":{}}}],"unevaluatedProperties":false}`, Keeps, Keeps},
		{"a part of a closed whole gains a property", `{"type":"object","allOf":[{"properties":{"a":{}}}],"unevaluatedProperties":false}`, `{"type":"object","allOf":[{"properties":{"a":{},"b":{}}}],"unevaluatedProperties":false}`, Keeps, Breaks},
		{"a branch speaks of a property", `{"type":"object","properties":{"a":{}},"additionalProperties":false}`, `{"type":"object","anyOf":[{"properties":{"a":{}}}],"unevaluatedProperties":false}`, Keeps, Keeps},
		{"items beyond a tuple are refused", `{"type":"array","allOf":[{"prefixItems":[{"type":"string"}]}]}`, `{"type":"array","allOf":[{"prefixItems":[{"type":"string"}]}],"unevaluatedItems":false}`, Breaks, Keeps},
		{"items beyond the prefix are refused", `{"type":"array"}`, `{"type":"array","prefixItems":[{}],"unevaluatedItems":false}`, Breaks, Keeps},
		{"what contains matches is evaluated", `{"type":"array","contains":{"type":"string"},"unevaluatedItems":false}`, `{"type":"array","items":{"type":"string"},"minItems":1}`, Keeps, Keeps},
	}}
}

func referenceCases() Section {
	const tree = `{"$ref":"#/$defs/t","$defs":{"t":{"type":"object","properties":{"v":{"type":"%s"},"next":{"$ref":"#/$defs/t"}}}}}`
	with := func(name string) string {
		return tree[:len(`{"$ref":"#/$defs/t","$defs":{"t":{"type":"object","properties":{"v":{"type":"`)] + name + tree[len(`{"$ref":"#/$defs/t","$defs":{"t":{"type":"object","properties":{"v":{"type":"%s`):]
	}
	return Section{"$ref", "References stay in the document. Schemas may refer to themselves below a property or an item.", []Case{
		{"written out or referred to", `{"type":"object","properties":{"a":{"$ref":"#/$defs/s"}},"$defs":{"s":{"type":"string"}}}`, `{"type":"object","properties":{"a":{"type":"string"}}}`, Keeps, Keeps},
		{"the name of a definition", `{"$ref":"#/$defs/a","$defs":{"a":{"type":"string"}}}`, `{"$ref":"#/$defs/b","$defs":{"b":{"type":"string"}}}`, Keeps, Keeps},
		{"a definition is narrowed", `{"$ref":"#/$defs/a","$defs":{"a":{"type":"string"}}}`, `{"$ref":"#/$defs/a","$defs":{"a":{"type":"string","minLength":1}}}`, Breaks, Keeps},
		{"a definition that nothing refers to", `{"type":"string","$defs":{"a":{"type":"string"}}}`, `{"type":"string","$defs":{"a":{"type":"integer"}}}`, Keeps, Keeps},
		{"a keyword beside a reference", `{"$ref":"#/$defs/a","$defs":{"a":{"type":"integer"}}}`, `{"$ref":"#/$defs/a","minimum":0,"$defs":{"a":{"type":"integer"}}}`, Breaks, Keeps},
		{"a tree is widened", with("integer"), with("number"), Keeps, Breaks},
		{"a tree is unrolled once", with("integer"), `{"type":"object","properties":{"v":{"type":"integer"},"next":{"$ref":"#/$defs/t"}},"$defs":{"t":{"type":"object","properties":{"v":{"type":"integer"},"next":{"$ref":"#/$defs/t"}}}}}`, Keeps, Keeps},
		{"a tree becomes a list of finite length", with("integer"), `{"type":"object","properties":{"v":{"type":"integer"},"next":false}}`, Breaks, Keeps},
	}}
}

func annotationCases() Section {
	return Section{"Annotations", "No document shows them. A default that changes is noted: the same request means another thing.", []Case{
		{"title and description", `{"type":"string","title":"a"}`, `{"type":"string","title":"b","description":"c"}`, Keeps, Keeps},
		{"another default", `{"type":"object","properties":{"a":{"default":1}}}`, `{"type":"object","properties":{"a":{"default":2}}}`, Keeps, Keeps},
		{"examples and deprecated", `{"type":"string"}`, `{"type":"string","examples":["a"],"deprecated":true}`, Keeps, Keeps},
		{"contentMediaType", `{"type":"string"}`, `{"type":"string","contentMediaType":"application/json"}`, Keeps, Keeps},
		{"an unknown keyword", `{"type":"string"}`, `{"type":"string","x-order":1}`, Keeps, Keeps},
	}}
}

func gtypeCases() Section {
	return Section{"Gati's own form", "A document that says kind is in the form of Gati's contracts, and means the JSON Schema that it is translated to.", []Case{
		{"the same in JSON Schema", `{"kind":"string","min":1}`, `{"type":"string","minLength":1}`, Keeps, Keeps},
		{"becomes nullable", `{"kind":"number"}`, `{"kind":"number","nullable":true}`, Keeps, Breaks},
		{"a required property more", `{"kind":"object","properties":{"a":{"kind":"string"}}}`, `{"kind":"object","properties":{"a":{"kind":"string"}},"required":["a"]}`, Breaks, Keeps},
		{"a lower max", `{"kind":"number","max":10}`, `{"kind":"number","max":5}`, Breaks, Keeps},
	}}
}
