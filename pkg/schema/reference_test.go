package schema_test

import (
	"slices"
	"testing"

	"gati.dev/gati/pkg/schema"
)

// TestReferenceRows checks the changes that the TypeScript reference's diff misjudges
// or misses.
func TestReferenceRows(t *testing.T) {
	object := func(field string) string { return `{"type":"object","properties":{"f":` + field + `}}` }
	const text = `{"type":"string"}`
	for _, c := range []struct {
		name, old, new string
		// request and response are the rule that must be found, or none.
		request, response string
	}{
		{"output becomes nullable", object(text), object(`{"type":["string","null"]}`), "", "response-property-became-nullable"},
		{"output stops being nullable", object(`{"type":["string","null"]}`), object(text), "request-property-became-not-nullable", ""},
		{"required input removed from a closed object", `{"type":"object","properties":{"f":{}},"required":["f"],"additionalProperties":false}`, `{"type":"object","additionalProperties":false}`, "request-property-removed", "response-required-property-removed"},
		{"enum narrowed", object(`{"enum":["a","b"]}`), object(`{"enum":["a"]}`), "request-property-enum-value-removed", ""},
		{"enum widened", object(`{"enum":["a"]}`), object(`{"enum":["a","b"]}`), "", "response-property-enum-value-added"},
		{"minimum", object(`{"type":"integer","minimum":1}`), object(`{"type":"integer","minimum":2}`), "request-property-min-increased", ""},
		{"maximum", object(`{"type":"integer","maximum":1}`), object(`{"type":"integer","maximum":2}`), "", "response-property-max-increased"},
		{"minLength", object(text), object(`{"type":"string","minLength":2}`), "request-property-min-length-set", ""},
		{"maxLength", object(`{"type":"string","maxLength":3}`), object(text), "", "response-property-max-length-unset"},
		{"pattern", object(text), object(`{"type":"string","pattern":"^a"}`), "request-property-pattern-added", ""},
		{"format", object(text), object(`{"type":"string","format":"email"}`), "request-property-format-added", ""},
		{"minItems", object(`{"type":"array"}`), object(`{"type":"array","minItems":1}`), "request-property-min-items-set", ""},
		{"uniqueItems", object(`{"type":"array"}`), object(`{"type":"array","uniqueItems":true}`), "request-property-unique-items-set", ""},
		{"nested properties on the new side alone", object(`{"type":"object"}`), object(`{"type":"object","properties":{"a":{}},"required":["a"]}`), "new-required-request-property", ""},
		{"nested properties on the old side alone", object(`{"type":"object","properties":{"a":{}},"required":["a"]}`), object(`{"type":"object"}`), "", "response-required-property-removed"},
		{"items on the new side alone", object(`{"type":"array"}`), object(`{"type":"array","items":{"type":"string"}}`), "request-property-list-of-types-narrowed", ""},
		{"items on the old side alone", object(`{"type":"array","items":{"type":"string"}}`), object(`{"type":"array"}`), "", "response-property-list-of-types-widened"},
		{"integer widened to number", object(`{"type":"integer"}`), object(`{"type":"number"}`), "", "response-property-type-generalized"},
		{"additionalProperties closed", object(text), `{"type":"object","properties":{"f":` + text + `},"additionalProperties":false}`, "request-body-additional-properties-narrowed", ""},
		{"union member removed", object(`{"anyOf":[{"type":"string"},{"type":"integer"}]}`), object(`{"anyOf":[{"type":"string"}]}`), "request-property-any-of-removed", ""},
		{"intersection", object(`{"allOf":[{"minLength":1},{"type":"string"}]}`), object(`{"allOf":[{"minLength":2},{"type":"string"}]}`), "request-property-min-length-increased", ""},
		{"tuple", object(`{"prefixItems":[{"type":"string"}]}`), object(`{"prefixItems":[{"type":"integer"}]}`), "request-property-type-changed", "response-property-type-changed"},
		{"literal", object(`{"const":1}`), object(`{"const":2}`), "request-property-const-changed", "response-property-const-changed"},
		{"ref", `{"$ref":"#/$defs/a","$defs":{"a":{"type":"string"}}}`, `{"$ref":"#/$defs/a","$defs":{"a":{"type":"integer"}}}`, "request-body-type-changed", "response-body-type-changed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			old, new := parse(t, []byte(c.old)), parse(t, []byte(c.new))
			holds(t, schema.Compatibility(schema.Version{Input: old}, schema.Version{Input: new}, schema.Backward), c.request)
			holds(t, schema.Compatibility(schema.Version{Output: old}, schema.Version{Output: new}, schema.Backward), c.response)
		})
	}
}

// holds checks that a report names a rule, or breaks nothing.
func holds(t *testing.T, r schema.Report, rule string) {
	t.Helper()
	if rule == "" {
		if r.Breaking {
			t.Errorf("breaks: %v", r.Findings)
		}
		return
	}
	if !slices.ContainsFunc(r.Findings, func(f schema.Finding) bool { return f.Rule == rule && f.Severity == schema.Breaking }) {
		t.Errorf("got %v, want %s", r.Findings, rule)
	}
}

// TestNoted checks the harmless changes that are reported as notes.
func TestNoted(t *testing.T) {
	for _, c := range []struct {
		name, old, new string
		rule           string
		severity       schema.Severity
		output         bool
	}{
		{"default changed", `{"type":"object","properties":{"f":{"default":1}}}`, `{"type":"object","properties":{"f":{"default":2}}}`, "request-property-default-value-changed", schema.Info, false},
		{"default added", `{"type":"string"}`, `{"type":"string","default":"a"}`, "request-body-default-value-added", schema.Info, false},
		{"optional input added", `{"type":"object"}`, `{"type":"object","properties":{"f":{"type":"string"}}}`, "new-optional-request-property", schema.Info, false},
		{"optional output added", `{"type":"object"}`, `{"type":"object","properties":{"f":{"type":"string"}}}`, "response-optional-property-added", schema.Info, true},
		{"input removed from an open object", `{"type":"object","properties":{"f":{}}}`, `{"type":"object"}`, "request-property-removed", schema.Warning, false},
		{"optional output removed", `{"type":"object","properties":{"f":{}}}`, `{"type":"object"}`, "response-optional-property-removed", schema.Warning, true},
		{"enum widened in a request", `{"enum":["a"]}`, `{"enum":["a","b"]}`, "request-body-enum-value-added", schema.Info, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			old, new := schema.Version{Input: parse(t, []byte(c.old))}, schema.Version{Input: parse(t, []byte(c.new))}
			if c.output {
				old, new = schema.Version{Output: old.Input}, schema.Version{Output: new.Input}
			}
			if r := schema.Compatibility(old, new, schema.Backward); r.Breaking {
				t.Errorf("breaks: %v", r.Findings)
			}
			notes := schema.Notes(old, new, schema.Backward)
			if !slices.ContainsFunc(notes, func(f schema.Finding) bool { return f.Rule == c.rule && f.Severity == c.severity }) {
				t.Errorf("got %v, want %s", notes, c.rule)
			}
		})
	}
}
