package schema

import "math/big"

// keywordReader reads the value of one keyword into a node.
type keywordReader func(b *builder, n *node, v any, at string, depth int)

// keywords are those of draft 2020-12. Others are ignored, as the draft demands.
var keywords map[string]keywordReader

func init() {
	keywords = map[string]keywordReader{
		"type": readType, "enum": readEnum, "const": readConst,

		"minimum": numberKeyword(func(n *node) **big.Rat { return &n.min }), "maximum": numberKeyword(func(n *node) **big.Rat { return &n.max }),
		"exclusiveMinimum": numberKeyword(func(n *node) **big.Rat { return &n.exclusiveMin }), "exclusiveMaximum": numberKeyword(func(n *node) **big.Rat { return &n.exclusiveMax }),
		"multipleOf": readMultipleOf,

		"minLength": countKeyword(func(n *node) *int { return &n.minLen }), "maxLength": countKeyword(func(n *node) *int { return &n.maxLen }),
		"pattern": readPattern, "format": readFormat,

		"minItems": countKeyword(func(n *node) *int { return &n.minItems }), "maxItems": countKeyword(func(n *node) *int { return &n.maxItems }),
		"minContains": countKeyword(func(n *node) *int { return &n.minContains }), "maxContains": countKeyword(func(n *node) *int { return &n.maxContains }),
		"uniqueItems": booleanKeyword(func(n *node, v bool) { n.uniqueItems = v }),
		"prefixItems": nodesKeyword(func(n *node) *[]*node { return &n.prefixItems }), "items": readItems,
		"contains": nodeKeyword(func(n *node) **node { return &n.contains }), "unevaluatedItems": nodeKeyword(func(n *node) **node { return &n.unevaluatedItems }),

		"minProperties": countKeyword(func(n *node) *int { return &n.minProps }), "maxProperties": countKeyword(func(n *node) *int { return &n.maxProps }),
		"required": readRequired, "dependentRequired": readDependentRequired, "properties": readProperties, "patternProperties": readPatterns,
		"additionalProperties": nodeKeyword(func(n *node) **node { return &n.additional }), "propertyNames": nodeKeyword(func(n *node) **node { return &n.propertyNames }),
		"dependentSchemas": readDependentSchemas, "unevaluatedProperties": nodeKeyword(func(n *node) **node { return &n.unevaluatedProps }),

		"allOf": nodesKeyword(func(n *node) *[]*node { return &n.allOf }), "anyOf": nodesKeyword(func(n *node) *[]*node { return &n.anyOf }),
		"oneOf": nodesKeyword(func(n *node) *[]*node { return &n.oneOf }), "not": nodeKeyword(func(n *node) **node { return &n.not }),
		"if": nodeKeyword(func(n *node) **node { return &n.ifNode }), "then": nodeKeyword(func(n *node) **node { return &n.thenNode }),
		"else": nodeKeyword(func(n *node) **node { return &n.elseNode }),

		"$schema": readDialect, "$ref": readRef, "$id": readID, "$defs": readDefs, "definitions": readDefs, "dependencies": readDependencies,
		"nullable":         booleanKeyword(ignoreAnnotation),
		"$anchor":          refusedKeyword("name the schema under $defs and refer to it as #/$defs/<name>"),
		"$dynamicRef":      refusedKeyword("use $ref: the meaning of a dynamic reference depends on the referring schema, so versions cannot be compared"),
		"$dynamicAnchor":   refusedKeyword("name the schema under $defs and refer to it with $ref"),
		"$recursiveRef":    refusedKeyword("use $ref with #, which is draft 2020-12's form"),
		"$recursiveAnchor": refusedKeyword("it is not part of draft 2020-12"),
		"$vocabulary":      refusedKeyword("it is for meta-schemas"),

		"default": readDefault, "examples": readExamples, "contentSchema": nodeKeyword(func(*node) **node { return new(*node) }),
		"title": readAnnotation, "description": readAnnotation, "$comment": readAnnotation, "contentEncoding": readAnnotation, "contentMediaType": readAnnotation,
		"deprecated": booleanKeyword(ignoreAnnotation), "readOnly": booleanKeyword(ignoreAnnotation), "writeOnly": booleanKeyword(ignoreAnnotation),
	}
}

func ignoreAnnotation(*node, bool) {}
