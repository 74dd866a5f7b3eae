package metaschema

import (
	"fmt"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"gati.dev/gati/pkg/schema"
)

// direct compiles a text without Parse before it.
func direct(t *testing.T, raw string) error {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(raw))
	if err != nil {
		return err
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.UseLoader(jsonschema.SchemeURLLoader{})
	if err := c.AddResource(location, doc); err != nil {
		t.Fatal(err)
	}
	_, err = c.Compile(location)
	return err
}

// keywords and what each is given: values of every type, right and wrong.
var (
	keywords = strings.Fields(`type enum const minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength pattern format
		minItems maxItems minContains maxContains uniqueItems prefixItems items contains unevaluatedItems minProperties maxProperties required
		dependentRequired properties patternProperties additionalProperties propertyNames dependentSchemas unevaluatedProperties
		allOf anyOf oneOf not if then else $ref $defs definitions title description $comment deprecated readOnly writeOnly default examples contentSchema
		contentEncoding contentMediaType x-unknown`)
	values = []string{`null`, `true`, `false`, `0`, `1`, `-1`, `1.5`, `2.0`, `1e2`, `"string"`, `"#"`, `"("`, `"^a"`, `""`, `[]`, `{}`, `["string"]`, `["string","string"]`,
		`["a","b"]`, `[{}]`, `[true]`, `[1]`, `[{"type":"nope"}]`, `{"a":{}}`, `{"a":true}`, `{"a":1}`, `{"a":["b"]}`, `{"a":["b","b"]}`, `{"(":{}}`, `{"a":{"type":1}}`, `{"type":"nope"}`}
)

// TestAgrees holds that Parse refuses whatever the meta-schema refuses, and but
// for what it says it cannot have nothing else.
func TestAgrees(t *testing.T) {
	stricter := map[string]bool{`{"$ref":"#"}`: true, `{"$ref":""}`: true}
	// upgraded are forms of older drafts, which are read without $schema.
	upgraded := map[string]bool{`{"items":[]}`: true, `{"items":[{}]}`: true, `{"items":[true]}`: true, `{"exclusiveMinimum":false}`: true, `{"exclusiveMaximum":false}`: true}
	both := 0
	for _, k := range keywords {
		for _, v := range values {
			raw := fmt.Sprintf(`{"%s":%s}`, k, v)
			_, ours := schema.Parse([]byte(raw))
			theirs := direct(t, raw)
			if (ours == nil) != (theirs == nil) && !stricter[raw] && !upgraded[raw] {
				t.Errorf("%s: Parse says %v, the meta-schema %v", raw, ours, theirs)
			}
			if ours != nil && theirs != nil {
				both++
			}
		}
	}
	t.Logf("%d documents, of which both refuse %d", len(keywords)*len(values), both)
}

// TestNothingIsFetched holds that no reference leaves the document.
func TestNothingIsFetched(t *testing.T) {
	for _, raw := range []string{
		`{"$ref":"http://example.com/s.json"}`, `{"$ref":"other.json#/a"}`, `{"$ref":"file:///etc/passwd"}`,
		`{"$schema":"http://example.com/meta"}`, `{"properties":{"a":{"$id":"x","$ref":"y"}}}`,
	} {
		if _, err := schema.Parse([]byte(raw)); err == nil {
			t.Errorf("%s is accepted", raw)
		}
	}
}
