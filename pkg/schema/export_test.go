package schema

import (
	"context"
	"encoding/json"
)

// Value decodes a document for Accepts.
func Value(raw json.RawMessage) any {
	doc, err := decodeJSON(raw)
	if err != nil {
		panic(err)
	}
	v, err := exactValue(doc)
	if err != nil {
		panic(err)
	}
	return v
}

// Accepts reports whether a schema accepts a value, in a reading of formats.
func (s *Schema) Accepts(v any, formats bool) bool {
	return judge{assertsFormats: formats}.accepts(s.root, v)
}

// Steps returns the work that a question takes.
func Steps(a, b *Schema) int {
	c := newComparer(context.Background(), a, b, false)
	c.compareNode([]literal{accepts(a.root)}, b.root)
	return maxSteps - c.remaining
}
