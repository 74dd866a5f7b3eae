package schema

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// must parses a schema that is meant to be valid.
func must(t testing.TB, raw string) *Schema {
	t.Helper()
	s, err := Parse([]byte(raw))
	if err != nil {
		t.Fatalf("%s: %v", truncateText(raw), err)
	}
	return s
}

// TestRefused checks the errors of refused documents: the place, the problem and the
// remedy.
func TestRefused(t *testing.T) {
	for _, c := range []struct{ name, raw, pointer, says string }{
		{"no JSON", `{`, "", "is not JSON"},
		{"two documents", `{} {}`, "", "more than one"},
		{"no schema", `"string"`, "", "a schema is an object, true or false"},
		{"type", `{"properties":{"a":{"type":"strng"}}}`, "/properties/a/type", `holds "strng"; a type must be one of string`},
		{"negative length", `{"minLength":-1}`, "/minLength", "is -1; it must be a whole number"},
		{"huge exponent", `{"maximum":1e400}`, "/maximum", "the exponent of a number must be between -308 and 308"},
		{"huge exponent in an enum", `{"enum":[1e400000000]}`, "/enum", "exponent"},
		{"long number", `{"minimum":` + strings.Repeat("1", 65) + `}`, "/minimum", "65 characters"},
		{"remote reference", `{"$ref":"https://example.com/s.json"}`, "/$ref", "nothing is fetched"},
		{"missing reference", `{"items":{"$ref":"#/$defs/user"}}`, "/items/$ref", "refers to #/$defs/user, which is not in the document"},
		{"reference to itself", `{"$ref":"#"}`, "", "without going into a property"},
		{"reference in a circle", `{"$ref":"#/$defs/a","$defs":{"a":{"anyOf":[{"type":"null"},{"$ref":"#/$defs/b"}]},"b":{"allOf":[{"$ref":"#/$defs/a"}]}}}`, "/$defs/a", "without going into"},
		{"anchor that is no name", `{"$anchor":1}`, "/$anchor", "#/$defs/<name>"},
		{"dynamic reference with two targets", `{"$dynamicRef":"#a","$defs":{"x":{"$dynamicAnchor":"a"},"y":{"$id":"y","$dynamicAnchor":"a"}}}`, "/$dynamicRef", "use $ref"},
		{"draft-03", `{"$schema":"http://json-schema.org/draft-03/schema#"}`, "/$schema", "draft-04, -06, -07, 2019-09 or 2020-12"},
		{"a keyword that the draft lacks", `{"$schema":"http://json-schema.org/draft-07/schema#","properties":{"a":{"prefixItems":[{}]}}}`, "/properties/a/prefixItems", "is not a keyword of draft-07"},
		{"a tuple of both drafts", `{"items":[{}],"prefixItems":[{}]}`, "/items", "use prefixItems"},
		{"an older tuple in the newest draft", `{"$schema":"https://json-schema.org/draft/2020-12/schema","items":[{}]}`, "/items", "use prefixItems"},
		{"older dependencies in the newest draft", `{"$schema":"https://json-schema.org/draft/2020-12/schema","dependencies":{"a":["b"]}}`, "/dependencies", "use dependentRequired"},
		{"an exclusive bound without a bound", `{"exclusiveMinimum":true}`, "/exclusiveMinimum", "is true without minimum"},
		{"the place of a moved schema", `{"items":[{"type":1}]}`, "/items/0/type", "holds 1"},
		{"unevaluated items of 2019-09", `{"$schema":"https://json-schema.org/draft/2019-09/schema","contains":{},"unevaluatedItems":false}`, "/unevaluatedItems", "means something else"},
		{"catastrophic pattern", `{"pattern":"((a{1000}){1000})"}`, "/pattern", "unfolds to"},
		{"heavy pattern", `{"pattern":"(abcdefghij){900}"}`, "/pattern", "unfolds to"},
		{"pointer with escapes", `{"properties":{"a/b":{"type":1}}}`, "/properties/a~1b/type", "holds 1"},
		{"invalid UTF-8", "{\"title\":\"\xff\"}", "", "not valid UTF-8"},
		{"nullable", `{"type":"string","nullable":1}`, "/nullable", "true or false"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Parse([]byte(c.raw))
			var told Problems
			if !errors.As(err, &told) {
				t.Fatalf("got %v", err)
			}
			if told[0].Pointer != c.pointer || !strings.Contains(told[0].Message, c.says) {
				t.Errorf("got %q at %q, want %q at %q", told[0].Message, told[0].Pointer, c.says, c.pointer)
			}
		})
	}
}

// TestLimits checks that each limit admits its own value and refuses one more.
func TestLimits(t *testing.T) {
	nested := func(n int) string { return strings.Repeat(`{"items":`, n) + `{}` + strings.Repeat(`}`, n) }
	for _, c := range []struct {
		name     string
		of       func(n int) string
		limit    int
		complain string
	}{
		{"bytes", func(n int) string { return `{"title":"` + strings.Repeat("a", n-12) + `"}` }, MaxBytes, "bytes"},
		{"depth", func(n int) string { return nested(n) }, MaxDepth, "schemas deep"},
		{"properties", func(n int) string { return `{"properties":{` + listed(n, `"p%d":{}`) + `}}` }, MaxProperties, "raises the number of properties"},
		{"schemas", func(n int) string { return `{"anyOf":[` + listed(n-1, `{"x%d":1}`) + `]}` }, MaxSchemas, "more than 4000 schemas"},
		{"patterns", func(n int) string { return `{"anyOf":[` + listed(n, `{"pattern":"a{1000}","x":%d}`) + `]}` }, 20, "one pattern too many"},
	} {
		t.Run(c.name, func(t *testing.T) {
			must(t, c.of(c.limit))
			if _, err := Parse([]byte(c.of(c.limit + 1))); err == nil || !strings.Contains(err.Error(), c.complain) {
				t.Errorf("one more: got %v", err)
			}
		})
	}
}

func listed(n int, format string) string {
	parts := make([]string, n)
	for i := range parts {
		parts[i] = fmt.Sprintf(format, i)
	}
	return strings.Join(parts, ",")
}

func TestProblemsAreBounded(t *testing.T) {
	_, err := Parse([]byte(`{"anyOf":[` + listed(500, `{"type":"t%d"}`) + `]}`))
	var told Problems
	if !errors.As(err, &told) || len(told) != maxProblems {
		t.Errorf("%d problems", len(told))
	}
}
