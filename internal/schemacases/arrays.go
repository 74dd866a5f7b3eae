package cases

func arrayCases() Section {
	return Section{"Arrays", "", []Case{
		{"items are narrowed", `{"type":"array","items":{"type":"number"}}`, `{"type":"array","items":{"type":"integer"}}`, Breaks, Keeps},
		{"items are widened", `{"type":"array","items":{"type":"integer"}}`, `{"type":"array","items":{"type":"number"}}`, Keeps, Breaks},
		{"items are declared", `{"type":"array"}`, `{"type":"array","items":{"type":"string"}}`, Breaks, Keeps},
		{"items are not declared any more", `{"type":"array","items":{"type":"string"}}`, `{"type":"array"}`, Keeps, Breaks},
		{"open tuples become a list", `{"type":"array","anyOf":[{"prefixItems":[{"type":"integer"}]},{"prefixItems":[{"type":"null"}]}]}`, `{"type":"array","items":{"type":["integer","null"]}}`, Breaks, Keeps},
		{"closed tuples become a list", `{"type":"array","anyOf":[{"prefixItems":[{"type":"integer"}],"items":false},{"prefixItems":[{"type":"null"}],"items":false}]}`, `{"type":"array","items":{"type":["integer","null"]}}`, Keeps, Breaks},
		{"items of a list that is always empty", `{"type":"array","maxItems":0,"items":{"type":"string"}}`, `{"type":"array","maxItems":0,"items":{"type":"integer"}}`, Keeps, Keeps},
		{"minItems is set", `{"type":"array"}`, `{"type":"array","minItems":1}`, Breaks, Keeps},
		{"a higher maxItems", `{"type":"array","maxItems":10}`, `{"type":"array","maxItems":20}`, Keeps, Breaks},
		{"uniqueItems is set", `{"type":"array"}`, `{"type":"array","uniqueItems":true}`, Breaks, Keeps},
		{"uniqueItems of at most one item", `{"type":"array","maxItems":1}`, `{"type":"array","maxItems":1,"uniqueItems":true}`, Keeps, Keeps},
		{"a tuple gains a place", `{"type":"array","prefixItems":[{"type":"string"}]}`, `{"type":"array","prefixItems":[{"type":"string"},{"type":"integer"}]}`, Breaks, Keeps},
		{"a closed tuple gains a place", `{"type":"array","prefixItems":[{"type":"string"}],"items":false}`, `{"type":"array","prefixItems":[{"type":"string"},{"type":"integer"}],"items":false}`, Keeps, Breaks},
		{"a tuple is closed", `{"type":"array","prefixItems":[{"type":"string"}]}`, `{"type":"array","prefixItems":[{"type":"string"}],"items":false}`, Breaks, Keeps},
		{"a tuple becomes a list of its type", `{"type":"array","prefixItems":[{"type":"string"}],"items":{"type":"string"}}`, `{"type":"array","items":{"type":"string"}}`, Keeps, Keeps},
		{"places of a tuple are swapped", `{"type":"array","prefixItems":[{"type":"string"},{"type":"integer"}],"minItems":2}`, `{"type":"array","prefixItems":[{"type":"integer"},{"type":"string"}],"minItems":2}`, Breaks, Breaks},
		{"a list becomes a single value", `{"type":"array","items":{"type":"string"}}`, `{"type":"string"}`, Breaks, Breaks},
	}}
}

func containsCases() Section {
	return Section{"contains", "", []Case{
		{"contains is set", `{"type":"array"}`, `{"type":"array","contains":{"type":"string"}}`, Breaks, Keeps},
		{"contains that the items imply", `{"type":"array","items":{"type":"integer"},"minItems":1}`, `{"type":"array","contains":{"type":"number"}}`, Keeps, Breaks},
		{"more must pass", `{"type":"array","contains":{"const":1}}`, `{"type":"array","contains":{"const":1},"minContains":2}`, Breaks, Keeps},
		{"fewer may pass", `{"type":"array","contains":{"const":1},"maxContains":3}`, `{"type":"array","contains":{"const":1},"maxContains":2}`, Breaks, Keeps},
		{"minContains 0 says nothing", `{"type":"array"}`, `{"type":"array","contains":{"type":"string"},"minContains":0}`, Keeps, Keeps},
		{"none may pass", `{"type":"array","contains":{"type":"string"},"minContains":0,"maxContains":0}`, `{"type":"array","items":{"not":{"type":"string"}}}`, Keeps, Keeps},
	}}
}
