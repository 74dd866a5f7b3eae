package schema_test

import (
	"fmt"
	"strings"
	"testing"

	"gati.dev/gati/pkg/schema"
)

// TestNotASubset checks pairs that once got a wrong yes, each with a document that only
// the first schema accepts.
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

// TestWitness checks pairs that once got a wrong witness: both schemas must judge the
// document as the answer claims.
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

// TestDeclaredNames checks that a name counts as declared however the old schema
// mentions it. Callers send it, so a new type that refuses it breaks them.
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

// members are ways to write a member of a tagged union, of a tag and a field's schema.
var members = map[string]string{
	"as zod writes it": `{"type":"object","properties":{"kind":{"type":"string","const":"k%d"},"v":%s,"w%[1]d":{"type":"string"}},"required":["kind","v"],"additionalProperties":false}`,
	"open":             `{"type":"object","properties":{"kind":{"const":"k%d"},"v":%s,"note":{"type":"string"}},"required":["kind"]}`,
	"without a type":   `{"properties":{"kind":{"const":"k%d"},"v":%s},"required":["kind"]}`,
	"by an enum":       `{"type":"object","properties":{"kind":{"enum":["k%d"]},"list":{"type":"array","items":%s}},"required":["kind"]}`,
	"by two tags":      `{"type":"object","properties":{"kind":{"const":"k%d"},"group":{"enum":[1,2]},"v":%s},"required":["kind","group"]}`,
	"in parts":         `{"allOf":[{"type":"object","properties":{"kind":{"const":"k%d"}},"required":["kind"]},{"type":"object","properties":{"v":%s}}]}`,
}

// union writes members under $defs or in place, the last first when reversed.
func union(t *testing.T, keyword, member, field string, n int, reversed, byReference bool) *schema.Schema {
	t.Helper()
	list, defs := make([]string, n), make([]string, n)
	for i := range n {
		k := i
		if reversed {
			k = n - 1 - i
		}
		list[i] = fmt.Sprintf(member, k, field)
		if byReference {
			list[i], defs[i] = fmt.Sprintf(`{"$ref":"#/$defs/m%d"}`, k), fmt.Sprintf(`"m%d":%s`, k, list[i])
		} else {
			defs[i] = fmt.Sprintf(`"m%d":true`, k)
		}
	}
	return parse(t, []byte(`{"type":"object","`+keyword+`":[`+strings.Join(list, ",")+`],"$defs":{`+strings.Join(defs, ",")+`}}`))
}

// TestTaggedUnions checks that unions of objects with a constant tag are decided,
// whatever the number, order and form of their members.
func TestTaggedUnions(t *testing.T) {
	const bar = 250_000 // some 50 ms
	for name, member := range members {
		for i, n := range []int{2, 6, 8, 20, 30, 30} {
			for _, keywords := range [][2]string{{"anyOf", "anyOf"}, {"oneOf", "oneOf"}, {"oneOf", "anyOf"}, {"anyOf", "oneOf"}} {
				byReference := i == 5
				a := union(t, keywords[0], member, `{"type":"integer"}`, n, false, byReference)
				b := func(field string, less int) *schema.Schema {
					return union(t, keywords[1], member, field, n-less, true, byReference)
				}
				for _, q := range []struct {
					what string
					a, b *schema.Schema
					want schema.Answer
				}{
					{"reordered", a, b(`{"type":"integer"}`, 0), schema.Yes}, {"widened", a, b(`{"type":"number"}`, 0), schema.Yes},
					{"narrowed", b(`{"type":"number"}`, 0), a, schema.No}, {"a member less", a, b(`{"type":"integer"}`, 1), schema.No},
				} {
					got, _ := schema.Subset(q.a, q.b)
					if steps := schema.Steps(q.a, q.b); got != q.want || steps > bar {
						t.Errorf("%s, %v of %d, by reference %t, %s: got %v in %d steps, want %v in at most %d", name, keywords, n, byReference, q.what, got, steps, q.want, bar)
					}
				}
			}
		}
	}
}
