package cases

func dialectCases() Section {
	return Section{"Older drafts and OpenAPI", "A document is upgraded to draft 2020-12 when it is read, and then compared as any other.", []Case{
		{"draft-07 becomes 2020-12", `{"$schema":"http://json-schema.org/draft-07/schema#","items":[{"type":"string"}],"additionalItems":false}`, `{"$schema":"https://json-schema.org/draft/2020-12/schema","prefixItems":[{"type":"string"}],"items":false}`, Keeps, Keeps},
		{"an item of an older tuple is widened", `{"type":"array","items":[{"type":"integer"}],"additionalItems":false}`, `{"type":"array","items":[{"type":"number"}],"additionalItems":false}`, Keeps, Breaks},
		{"dependencies", `{"type":"object","dependencies":{"a":["b"]}}`, `{"type":"object","dependentRequired":{"a":["b"]}}`, Keeps, Keeps},
		{"the bound itself is left out, in draft-04 and OpenAPI 3.0", `{"type":"number","minimum":0}`, `{"type":"number","minimum":0,"exclusiveMinimum":true}`, Breaks, Keeps},
		{"a tree by its name, as TypeBox writes it", `{"$id":"T","type":"object","properties":{"v":{"type":"integer"},"next":{"$ref":"T"}}}`, `{"$id":"T","type":"object","properties":{"v":{"type":"number"},"next":{"$ref":"T"}}}`, Keeps, Breaks},
		{"an anchor", `{"$ref":"#a","$defs":{"x":{"$anchor":"a","type":"string"}}}`, `{"type":"string"}`, Keeps, Keeps},
		{"beside a reference in draft-07", `{"$schema":"http://json-schema.org/draft-07/schema#","$ref":"#/definitions/a","minLength":1,"definitions":{"a":{"type":"string"}}}`, `{"type":"string"}`, Keeps, Keeps},
		{"nullable without a type says nothing", `{"$ref":"#/$defs/a","nullable":true,"$defs":{"a":{"type":"string"}}}`, `{"type":"string"}`, Keeps, Keeps},
	}}
}
