package schema_test

import (
	"testing"

	"gati.dev/gati/internal/schemacases"
	"gati.dev/gati/internal/testing/metaschema"
	"gati.dev/gati/pkg/schema"
)

// seeds yields candidates before their length is adjusted.
func seeds(f *testing.F) {
	for _, section := range cases.All() {
		for _, c := range section.Cases {
			f.Add([]byte(c.Old), []byte(c.New))
		}
	}
	f.Add([]byte(`{"$ref":"#"}`), []byte(`{"maximum":1e400}`))
	f.Add([]byte("{\"title\":\"\xff\"}"), []byte(`{"pattern":"(a{1000}){1000}"}`))
	f.Add([]byte(`{"kind":"union"}`), []byte(`[[[[[[`))
	f.Add([]byte(`{"$defs":{"a":{"$ref":"#/$defs/b"},"b":{"items":{"$ref":"#/$defs/a"}}},"$ref":"#/$defs/a"}`), []byte(`{"$ref":"#/properties/~01/items/0"}`))
}

// FuzzParse checks that an accepted document is also valid for an independent
// validator, and compatible with itself.
func FuzzParse(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, raw, _ []byte) {
		s, err := schema.Parse(raw)
		if err != nil {
			return
		}
		if _, err := metaschema.Compile(s, false); err != nil {
			t.Errorf("%s is read, but: %v", raw, err)
		}
		if got, witness := schema.Subset(s, s); got == schema.No {
			t.Errorf("%s does not keep itself: %s", raw, witness)
		}
	})
}

// FuzzSubset checks that every witness distinguishes the two schemas.
func FuzzSubset(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, x, y []byte) {
		a, errA := schema.Parse(x)
		b, errB := schema.Parse(y)
		if errA != nil || errB != nil {
			return
		}
		if got, witness := schema.Subset(a, b); got == schema.No && !between(judgesOf(t, a), judgesOf(t, b), decoded(t, witness)) {
			t.Errorf("%s does not tell apart\n%s\n%s", witness, x, y)
		}
		old, new := schema.Version{Input: a, Output: a}, schema.Version{Input: b, Output: b}
		if r := schema.Compatibility(old, new, schema.Full); r.Breaking != (len(r.Findings) > 0) {
			t.Errorf("breaking %t with %v", r.Breaking, r.Findings)
		}
		schema.Notes(old, new, schema.Backward)
	})
}
