package schema

import (
	"strings"
	"testing"
)

// TestGType holds what Gati's own form means in JSON Schema.
func TestGType(t *testing.T) {
	for _, c := range []struct{ name, gtype, means string }{
		{"string", `{"kind":"string","brand":"Email","description":"x"}`, `{"type":"string"}`},
		{"length, both ways", `{"kind":"string","min":1,"maxLength":9}`, `{"type":"string","minLength":1,"maxLength":9}`},
		{"pattern", `{"kind":"string","pattern":"^a"}`, `{"type":"string","pattern":"^a"}`},
		{"number", `{"kind":"number","min":0,"max":1.5}`, `{"type":"number","minimum":0,"maximum":1.5}`},
		{"nullable", `{"kind":"boolean","nullable":true}`, `{"type":["boolean","null"]}`},
		{"array", `{"kind":"array","items":{"kind":"number"},"minItems":1}`, `{"type":"array","items":{"type":"number"},"minItems":1}`},
		{"object", `{"kind":"object","properties":{"a":{"kind":"string"}},"required":["a"],"additionalProperties":false}`,
			`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}`},
		{"open object", `{"kind":"object","properties":{}}`, `{"type":"object"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if must(t, c.gtype).root.id != must(t, c.means).root.id {
				t.Errorf("%s does not mean %s, but %s", c.gtype, c.means, renderJSON(must(t, c.gtype).Document()))
			}
		})
	}
}

func TestGTypeRefused(t *testing.T) {
	for _, c := range []struct{ name, raw, pointer, says string }{
		{"union", `{"kind":"union"}`, "/kind", "with anyOf"},
		{"tuple below", `{"kind":"array","items":{"kind":"tuple"}}`, "/items/kind", "with prefixItems"},
		{"ref", `{"kind":"ref","refId":"u"}`, "/kind", "#/$defs/<name>"},
		{"runtime's form", `{"kind":"primitive","primitiveType":"string"}`, "/kind", `is "primitive"; the kinds of Gati's form are string, number`},
		{"no properties", `{"kind":"object"}`, "", "without properties"},
		{"no items", `{"kind":"array"}`, "", "without items"},
		{"contradiction", `{"kind":"string","min":1,"minLength":2}`, "/min", "contradicts minLength"},
		{"unfit", `{"kind":"number","pattern":"a"}`, "/pattern", "has no effect on a number"},
		{"extra schema", `{"kind":"object","properties":{},"additionalProperties":{"kind":"string"}}`, "/additionalProperties", "true or false"},
		{"pattern", `{"kind":"string","pattern":"("}`, "/pattern", "is not closed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Parse([]byte(c.raw))
			told, ok := err.(Problems) //nolint:errorlint // Parse wraps nothing
			if !ok || told[0].Pointer != c.pointer || !strings.Contains(told[0].Message, c.says) {
				t.Errorf("got %v, want %q at %q", err, c.says, c.pointer)
			}
		})
	}
}
