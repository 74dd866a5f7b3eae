package scaffold

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// maxDepth bounds a type; what lies deeper is any.
const maxDepth = 8

// typeOf returns a schema as a TypeScript type. What it cannot express is any.
func typeOf(document any) string {
	// A type is written inside a comment, which a string of the schema must not end.
	return strings.ReplaceAll(typer{document}.typeOf(document, maxDepth), "*/", `*\/`)
}

type typer struct{ root any }

func (t typer) typeOf(schema any, depth int) string {
	node := resolveSchema(t.root, schema)
	if node == nil || depth == 0 {
		return "any"
	}
	if values, ok := node["enum"].([]any); ok {
		return literalUnion(values)
	}
	if value, ok := node["const"]; ok {
		return literalUnion([]any{value})
	}
	for _, keyword := range []string{"anyOf", "oneOf"} {
		if branches, ok := node[keyword].([]any); ok {
			return t.unionType(branches, depth)
		}
	}
	switch kind := node["type"].(type) {
	case string:
		return t.ofKind(kind, node, depth)
	case []any:
		var out []string
		for _, k := range kind {
			name, _ := k.(string)
			out = append(out, t.ofKind(name, node, depth))
		}
		return strings.Join(out, " | ")
	}
	if _, ok := node["properties"]; ok {
		return t.objectType(node, depth)
	}
	return "any"
}

func (t typer) unionType(branches []any, depth int) string {
	var out []string
	for _, branch := range branches {
		if text := t.typeOf(branch, depth-1); !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	return strings.Join(out, " | ")
}

func (t typer) ofKind(kind string, node map[string]any, depth int) string {
	switch kind {
	case "object":
		return t.objectType(node, depth)
	case "array":
		return "Array<" + t.typeOf(node["items"], depth-1) + ">"
	case "integer":
		return "number"
	case "string", "number", "boolean", "null":
		return kind
	}
	return "any"
}

func (t typer) objectType(node map[string]any, depth int) string {
	properties, _ := node["properties"].(map[string]any)
	if len(properties) == 0 {
		return "Record<string, " + t.typeOf(node["additionalProperties"], depth-1) + ">"
	}
	required, _ := node["required"].([]any)
	var fields []string
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		mark := "?"
		if slices.Contains(required, any(name)) {
			mark = ""
		}
		text := name
		if !identifier.MatchString(name) {
			text = quoteString(name)
		}
		fields = append(fields, text+mark+": "+t.typeOf(properties[name], depth-1))
	}
	return "{ " + strings.Join(fields, ", ") + " }"
}

// literalUnion returns a union of values; composed ones are any.
func literalUnion(values []any) string {
	var out []string
	for _, value := range values {
		switch v := value.(type) {
		case string:
			out = append(out, quoteString(v))
		case bool, nil, json.Number:
			out = append(out, fmt.Sprint(formatLiteral(v)))
		default:
			return "any"
		}
	}
	return strings.Join(out, " | ")
}

// formatLiteral spells nil as JavaScript does.
func formatLiteral(value any) any {
	if value == nil {
		return "null"
	}
	return value
}

// resolveSchema returns a schema as an object, and follows references within its document; nil
// where there is none.
func resolveSchema(root, schema any) map[string]any {
	for range maxDepth {
		node, ok := schema.(map[string]any)
		if !ok {
			return nil
		}
		reference, ok := node["$ref"].(string)
		if !ok {
			return node
		}
		if schema, ok = findReference(root, reference); !ok {
			return nil
		}
	}
	return nil
}

// findReference follows a reference such as #/$defs/user.
func findReference(root any, reference string) (any, bool) {
	pointer, local := strings.CutPrefix(reference, "#")
	if !local {
		return nil, false
	}
	for _, step := range splitPointer(pointer) {
		node, ok := root.(map[string]any)
		if !ok {
			return nil, false
		}
		root = node[step]
	}
	return root, true
}

func hasType(node map[string]any, name string) bool {
	switch kind := node["type"].(type) {
	case string:
		return kind == name
	case []any:
		return slices.Contains(kind, any(name))
	}
	return false
}
