package schema_test

import (
	"fmt"
	"strings"
	"testing"

	"gati.dev/gati/pkg/schema"
)

// TestNotASubset holds pairs that were answered with yes, each with a document
// that only the first schema accepts.
func TestNotASubset(t *testing.T) {
	for _, c := range []struct{ name, a, b, document string }{
		{"an item that only b's unevaluatedItems reaches",
			`{"type":"array"}`, `{"type":"array","prefixItems":[{}],"unevaluatedItems":false}`, `[null,null]`},
		{"an item behind tuples of a choice",
			`{"type":"array","anyOf":[{"prefixItems":[{"type":"integer"}]},{"prefixItems":[{"type":"null"}]}]}`, `{"items":{"type":["integer","null"]}}`, `[0,true]`},
		{"one property that meets two demands",
			`{"type":"object","maxProperties":1,"not":{"additionalProperties":{"type":"string"}}}`, `{"propertyNames":{"not":{"pattern":"^x"}}}`, `{"x":null}`},
		{"dependentSchemas in a branch that refuses",
			`{"oneOf":[{"additionalProperties":true},{"dependentSchemas":{"b":{"properties":{"b":false}}}}],"unevaluatedProperties":false}`, `{"unevaluatedProperties":false}`, `{"b":null}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, b := parse(t, []byte(c.a)), parse(t, []byte(c.b))
			if !between(judgesOf(t, a), judgesOf(t, b), decoded(t, []byte(c.document))) {
				t.Fatalf("%s is no such document", c.document)
			}
			if got, witness := schema.Subset(a, b); got == schema.Yes || got == schema.No && !between(judgesOf(t, a), judgesOf(t, b), decoded(t, witness)) {
				t.Errorf("got %v with %s; %s shows no", got, witness, c.document)
			}
		})
	}
}

// TestWitness holds pairs whose witness was none: both schemas judge it.
func TestWitness(t *testing.T) {
	for _, c := range []struct {
		name, a, b string
		want       schema.Answer
	}{
		{"a document outside the choice that was taken",
			`{"not":{"contains":true,"maxContains":3},"prefixItems":[{},{"type":"integer"}]}`, `{"anyOf":[{"contains":{"type":"integer"}},{"unevaluatedItems":false}]}`, schema.Yes},
		{"a relative JSON pointer", `{"type":"string","not":{"format":"date"}}`, `{"not":{"format":"relative-json-pointer"}}`, schema.No},
		{"a URI template", `{"type":"string","not":{"format":"date"}}`, `{"format":"uri-template"}`, schema.No},
		{"no relative JSON pointer", `{"type":"string","format":"json-pointer"}`, `{"format":"relative-json-pointer"}`, schema.No},
		{"every URI template", `{"type":"string","format":"date"}`, `{"not":{"format":"uri-template"}}`, schema.No},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, b := parse(t, []byte(c.a)), parse(t, []byte(c.b))
			got, witness := schema.Subset(a, b)
			if got != c.want {
				t.Errorf("got %v with %s, want %v", got, witness, c.want)
			}
			if got == schema.No && !between(judgesOf(t, a), judgesOf(t, b), decoded(t, witness)) {
				t.Errorf("%s does not tell them apart", witness)
			}
		})
	}
}

// TestDeclaredNames holds that a name counts as declared however the old schema
// names it: callers send it, so a type that refuses it breaks them.
func TestDeclaredNames(t *testing.T) {
	const typed = `{"type":"object","properties":{"b":{"type":"string"}}}`
	for _, c := range []struct {
		name, old, new string
		breaks         bool
	}{
		{"const", `{"const":{"b":1}}`, typed, true},
		{"enum", `{"enum":[{"b":1},{"c":true}]}`, typed, true},
		{"const in a property", `{"properties":{"a":{"const":{"b":1}}}}`, `{"properties":{"a":` + typed + `}}`, true},
		{"const around it", `{"const":{"a":{"b":1}}}`, `{"properties":{"a":` + typed + `}}`, true},
		{"const around items", `{"const":[{"b":1}]}`, `{"items":` + typed + `}`, true},
		{"const of another type", `{"const":{"b":"x"}}`, typed, false},
		{"propertyNames by enum", `{"type":"object","propertyNames":{"enum":["a","b"]}}`, typed, true},
		{"propertyNames by pattern", `{"type":"object","propertyNames":{"pattern":"^b"}}`, typed, true},
		{"propertyNames by length", `{"type":"object","propertyNames":{"maxLength":9}}`, typed, false},
		{"propertyNames without it", `{"type":"object","propertyNames":{"enum":["a"]}}`, typed, false},
		{"dependentRequired, what asks", `{"type":"object","dependentRequired":{"b":["c"]}}`, typed, true},
		{"dependentRequired, what is asked for", `{"type":"object","dependentRequired":{"c":["b"]}}`, typed, true},
		{"dependentSchemas", `{"type":"object","dependentSchemas":{"b":{"required":["c"]}}}`, typed, true},
		{"nothing", `{"type":"object","properties":{"a":{}}}`, typed, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			old, new := parse(t, []byte(c.old)), parse(t, []byte(c.new))
			r := schema.Compatibility(schema.Version{Input: old}, schema.Version{Input: new}, schema.Backward)
			if r.Breaking != c.breaks {
				t.Errorf("breaking %t with %v, want %t", r.Breaking, r.Findings, c.breaks)
			}
		})
	}
}

// TestTaggedUnions holds that unions of objects that a constant tells apart are
// decided, however many members they have and in whatever order.
func TestTaggedUnions(t *testing.T) {
	members := func(n int, from, by int, field string) string {
		var out []string
		for i := range n {
			k := (from + by*i + n*n) % n
			out = append(out, fmt.Sprintf(`{"type":"object","properties":{"kind":{"const":"k%d"},"v%[1]d":%s,"note":{"type":"string"}},"required":["kind","v%[1]d"]}`, k, field))
		}
		return strings.Join(out, ",")
	}
	const bar = 100_000 // some 50 ms
	union := func(keyword, members string) *schema.Schema {
		return parse(t, []byte(`{"`+keyword+`":[`+members+`]}`))
	}
	for _, n := range []int{2, 6, 8, 20, 30} {
		for _, old := range []string{"anyOf", "oneOf"} {
			for _, new := range []string{"anyOf", "oneOf"} {
				t.Run(fmt.Sprintf("%s in %s of %d", old, new, n), func(t *testing.T) {
					a := union(old, members(n, 0, 1, `{"type":"integer"}`))
					reversed := union(new, members(n, n-1, -1, `{"type":"integer"}`))
					wider := union(new, members(n, n-1, -1, `{"type":"number"}`)+`,{"type":"object","properties":{"kind":{"const":"more"}},"required":["kind"]}`)
					narrower := union(new, members(n-1, n-2, -1, `{"type":"integer"}`))
					for _, q := range []struct {
						what string
						a, b *schema.Schema
						want schema.Answer
					}{
						{"reordered", a, reversed, schema.Yes}, {"widened", a, wider, schema.Yes}, {"narrowed", wider, a, schema.No}, {"a member less", a, narrower, schema.No},
					} {
						if got, _ := schema.Subset(q.a, q.b); got != q.want {
							t.Errorf("%s: got %v, want %v", q.what, got, q.want)
						}
						if steps := schema.Steps(q.a, q.b); steps > bar {
							t.Errorf("%s: %d steps, more than %d", q.what, steps, bar)
						}
					}
				})
			}
		}
	}
}
