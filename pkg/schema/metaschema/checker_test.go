package metaschema

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"gati.dev/gati/internal/testing/schemas"
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
	both := 0
	for _, k := range keywords {
		for _, v := range values {
			raw := fmt.Sprintf(`{"%s":%s}`, k, v)
			_, ours := schema.Parse([]byte(raw))
			theirs := direct(t, raw)
			if (ours == nil) != (theirs == nil) && !stricter[raw] {
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
		`{"$schema":"http://example.com/meta"}`, `{"properties":{"a":{"$id":"x"}}}`,
	} {
		if _, err := schema.Parse([]byte(raw)); err == nil {
			t.Errorf("%s is accepted", raw)
		}
	}
}

func TestCheckerRemembers(t *testing.T) {
	var c Checker
	for i := range kept + 10 {
		if _, err := c.Check([]byte(fmt.Sprintf(`{"minLength":%d}`, i))); err != nil {
			t.Fatal(err)
		}
	}
	if len(c.verdicts) != kept || len(c.order) != kept {
		t.Errorf("holds %d verdicts in %d places, want %d", len(c.verdicts), len(c.order), kept)
	}
	first, err := c.Check([]byte(`{"minLength":1000}`))
	again, _ := c.Check([]byte(`{"minLength":1000}`))
	if err != nil || first != again {
		t.Errorf("%v: the same document was read twice", err)
	}
	_, err = c.Check([]byte(`{"minLength":-1}`))
	var told schema.Problems
	if !errors.As(err, &told) || len(told) != 1 || told[0].Pointer != "/minLength" {
		t.Errorf("got %v", err)
	}
}

// Large documents are forgotten sooner: what is kept must not take the memory that
// gati-webhook has.
func TestCheckerIsBoundedByMemory(t *testing.T) {
	large, _ := schemas.Sizes[len(schemas.Sizes)-1].Pair()
	var c Checker
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	const many = 100
	for i := range many {
		if _, err := c.Check(append(bytes.Clone(large), strings.Repeat(" ", i)...)); err != nil {
			t.Fatal(err)
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if len(c.order) == many || len(c.order) < many/10 || len(c.order) != len(c.verdicts) || c.weight > room {
		t.Errorf("holds %d documents of %d bytes, which count as %d", len(c.order), len(large), c.weight)
	}
	if used := int(after.HeapAlloc) - int(before.HeapAlloc); used > 2*room {
		t.Errorf("takes %d bytes, want about %d", used, room)
	}
	for len(c.order) > 0 {
		c.forget()
	}
	if c.weight != 0 {
		t.Errorf("%d bytes are counted of nothing", c.weight)
	}
}

// What was judged ahead of time is known, also to the one who did not wait for it.
func TestReady(t *testing.T) {
	var c Checker
	slow := []byte(`{"type":"object","properties":{"id":{"type":"string"}}}`)
	if err := c.Ready(t.Context(), slow, []byte(`{"type":"nope"}`), make([]byte, schema.MaxBytes+1)); err != nil || len(c.order) != 2 {
		t.Errorf("%v, %d verdicts", err, len(c.order))
	}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if err := c.Ready(over, slow); err != nil {
		t.Errorf("what is known takes no time: %v", err)
	}
	for range atOnce {
		c.turns <- struct{}{} // All others are at work.
	}
	if err := c.Ready(over, []byte(`{}`)); !errors.Is(err, context.Canceled) || len(c.order) != 2 {
		t.Errorf("got %v, want that of the context; %d verdicts", err, len(c.order))
	}
}
