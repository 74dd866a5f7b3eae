package schema

import "math/big"

// reader reads the value of one keyword into a node.
type reader func(b *builder, n *node, v any, at string, depth int)

// keywords are those of draft 2020-12. Others are ignored, as the draft wants.
var keywords map[string]reader

func init() {
	keywords = map[string]reader{
		"type": readType, "enum": readEnum, "const": readConst,

		"minimum": rational(func(n *node) **big.Rat { return &n.min }), "maximum": rational(func(n *node) **big.Rat { return &n.max }),
		"exclusiveMinimum": rational(func(n *node) **big.Rat { return &n.minOpen }), "exclusiveMaximum": rational(func(n *node) **big.Rat { return &n.maxOpen }),
		"multipleOf": readMultipleOf,

		"minLength": count(func(n *node) *int { return &n.minLen }), "maxLength": count(func(n *node) *int { return &n.maxLen }),
		"pattern": readPattern, "format": readFormat,

		"minItems": count(func(n *node) *int { return &n.minItems }), "maxItems": count(func(n *node) *int { return &n.maxItems }),
		"minContains": count(func(n *node) *int { return &n.minContains }), "maxContains": count(func(n *node) *int { return &n.maxContains }),
		"uniqueItems": boolean(func(n *node, v bool) { n.unique = v }),
		"prefixItems": branches(func(n *node) *[]*node { return &n.prefix }), "items": readItems,
		"contains": single(func(n *node) **node { return &n.contains }), "unevaluatedItems": single(func(n *node) **node { return &n.restItems }),

		"minProperties": count(func(n *node) *int { return &n.minProps }), "maxProperties": count(func(n *node) *int { return &n.maxProps }),
		"required": readRequired, "dependentRequired": readNeeds, "properties": readProperties, "patternProperties": readPatterns,
		"additionalProperties": single(func(n *node) **node { return &n.extra }), "propertyNames": single(func(n *node) **node { return &n.names }),
		"dependentSchemas": readImplies, "unevaluatedProperties": single(func(n *node) **node { return &n.restProps }),

		"allOf": branches(func(n *node) *[]*node { return &n.allOf }), "anyOf": branches(func(n *node) *[]*node { return &n.anyOf }),
		"oneOf": branches(func(n *node) *[]*node { return &n.oneOf }), "not": single(func(n *node) **node { return &n.not }),
		"if": single(func(n *node) **node { return &n.cond }), "then": single(func(n *node) **node { return &n.then }),
		"else": single(func(n *node) **node { return &n.other }),

		"$schema": readDialect, "$ref": readRef, "$id": readID, "$defs": readDefs, "definitions": readDefs, "dependencies": readDependencies,
		"$anchor":          refused("name the schema under $defs and refer to it as #/$defs/<name>"),
		"$dynamicRef":      refused("use $ref: what a dynamic reference means depends on who refers, so versions cannot be compared"),
		"$dynamicAnchor":   refused("name the schema under $defs and refer to it with $ref"),
		"$recursiveRef":    refused("use $ref with #, which is how draft 2020-12 says it"),
		"$recursiveAnchor": refused("it is not of draft 2020-12"),
		"$vocabulary":      refused("it is for meta-schemas"),

		"default": readDefault, "examples": readExamples, "contentSchema": single(func(*node) **node { return new(*node) }),
		"title": annotation, "description": annotation, "$comment": annotation, "contentEncoding": annotation, "contentMediaType": annotation,
		"deprecated": boolean(ignore), "readOnly": boolean(ignore), "writeOnly": boolean(ignore),
	}
}

func ignore(*node, bool) {}
