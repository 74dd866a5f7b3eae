package schema

import "strings"

// dialect is the form of JSON Schema that a document is written in.
type dialect struct {
	name string
	// draft orders the drafts: 4, 6, 7, 2019, 2020; 0 without $schema.
	draft int
	// ignoresBesideRef reports whether keywords beside $ref mean nothing.
	ignoresBesideRef bool
	// openAPI30 reports whether nullable and boolean exclusive bounds are keywords.
	openAPI30 bool
}

// draft2020 is the dialect that documents are upgraded to.
const draft2020 = "https://json-schema.org/draft/2020-12/schema"

// dialects are the values of $schema without scheme and a trailing #.
var dialects = map[string]dialect{
	"json-schema.org/draft-04/schema":             {name: "draft-04", draft: 4, ignoresBesideRef: true},
	"json-schema.org/draft-06/schema":             {name: "draft-06", draft: 6, ignoresBesideRef: true},
	"json-schema.org/draft-07/schema":             {name: "draft-07", draft: 7, ignoresBesideRef: true},
	"json-schema.org/draft/2019-09/schema":        {name: "draft 2019-09", draft: 2019},
	"json-schema.org/draft/2020-12/schema":        {name: "draft 2020-12", draft: 2020},
	"spec.openapis.org/oas/3.1/dialect/base":      {name: "OpenAPI 3.1", draft: 2020},
	"spec.openapis.org/oas/3.0/schema/2021-09-28": {name: "OpenAPI 3.0", draft: 4, ignoresBesideRef: true, openAPI30: true},
	"spec.openapis.org/oas/3.0/schema/2024-10-18": {name: "OpenAPI 3.0", draft: 4, ignoresBesideRef: true, openAPI30: true},
}

// findDialect returns the dialect that $schema names.
func findDialect(schema any) (dialect, bool) {
	text, _ := schema.(string)
	text = strings.TrimSuffix(text, "#")
	for _, scheme := range []string{"http://", "https://"} {
		if rest, found := strings.CutPrefix(text, scheme); found {
			d, known := dialects[rest]
			return d, known
		}
	}
	return dialect{}, false
}

// dialectOf returns the dialect of a document: that of $schema, or else one in which
// every form is read. A boolean exclusive bound shows draft-04 or OpenAPI 3.0.
func dialectOf(doc map[string]any, places []place) dialect {
	if d, known := findDialect(doc["$schema"]); known {
		return d
	}
	d := dialect{name: "a document without $schema", openAPI30: true}
	for _, p := range places {
		for _, name := range exclusiveBounds {
			if _, is := p.doc[name].(bool); is {
				d.name, d.ignoresBesideRef = "draft-04 or OpenAPI 3.0, as a boolean "+name+" shows", true
			}
		}
	}
	return d
}

// firstDrafts are the drafts that introduced keywords. Validators of older drafts
// ignore them.
var firstDrafts = map[string]int{
	"const": 6, "contains": 6, "propertyNames": 6, "if": 7, "then": 7, "else": 7,
	"dependentRequired": 2019, "dependentSchemas": 2019, "unevaluatedItems": 2019, "unevaluatedProperties": 2019,
	"minContains": 2019, "maxContains": 2019, "$anchor": 2019, "$recursiveRef": 2019, "$recursiveAnchor": 2019,
	"prefixItems": 2020, "$dynamicRef": 2020, "$dynamicAnchor": 2020,
}
