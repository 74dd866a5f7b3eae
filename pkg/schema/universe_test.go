package schema_test

import (
	"bytes"
	"math/rand"
	"testing"

	"gati.dev/gati/internal/testing/schemas"
	"gati.dev/gati/internal/testing/soak"
	"gati.dev/gati/pkg/schema"
)

// smallPair makes two small schemas of a kind, most often one from the other.
func smallPair(r *rand.Rand, kind string) (a, b any) {
	a = schemas.Small(r, kind)
	if r.Intn(2) == 0 {
		return a, schemas.Small(r, kind)
	}
	b = schemas.SmallChange(r, kind, a)
	if r.Intn(2) == 0 {
		return b, a
	}
	return a, b
}

// document is one of a universe, for both evaluators.
type document struct {
	raw   []byte
	value any
}

func universe(kind string) []document {
	var out []document
	for _, v := range schemas.Universe(kind) {
		raw := schemas.Text(v)
		out = append(out, document{raw, schema.Value(raw)})
	}
	return out
}

// maxUndecided is how many pairs in a thousand may stay undecided.
const maxUndecided = 4

// TestSmallUniverse tries every small document against 20,000 random pairs of small
// schemas, in its long form 500,000. None may contradict a yes, every witness must
// tell the two apart, and few pairs may stay undecided. The package's own evaluator
// judges; an independent validator judges each hundredth pair, and whatever is found.
func TestSmallUniverse(t *testing.T) {
	pairs, number := 20_000, *seed
	if soak.IsLong("smallUniverse") {
		pairs = 500_000
	}
	r := rand.New(rand.NewSource(number))
	kinds := []string{"array", "object", "array", "object", "scalar"}
	universes := map[string][]document{}
	for _, kind := range kinds {
		universes[kind] = universe(kind)
	}
	counts := map[schema.Answer]int{}
	unsound, untrue := 0, 0
	for i := range pairs {
		kind := kinds[i%len(kinds)]
		documents := universes[kind]
		x, y := smallPair(r, kind)
		a, errA := schema.Parse(schemas.Text(x))
		b, errB := schema.Parse(schemas.Text(y))
		if errA != nil || errB != nil {
			continue // a reference without a target
		}
		got, witness := schema.Subset(a, b)
		counts[got]++
		if got == schema.No {
			if !tellsApart(a, b, schema.Value(witness)) || i%100 == 0 && !between(judgesOf(t, a), judgesOf(t, b), decoded(t, witness)) {
				untrue++
				t.Errorf("%s does not tell apart\n%s\n%s", witness, schemas.Text(x), schemas.Text(y))
			}
		}
		if i%100 == 0 {
			agrees(t, a, documents, r)
		}
		if got != schema.Yes && i%len(kinds) == 1 {
			keepsDeclared(t, x, y, documents)
		}
		if got != schema.Yes {
			continue
		}
		for _, d := range documents {
			if tellsApart(a, b, d.value) {
				unsound++
				t.Errorf("yes, but %s tells apart\n%s\n%s", d.raw, schemas.Text(x), schemas.Text(y))
				break
			}
		}
		if unsound+untrue > 20 {
			t.Fatalf("enough, after %d pairs", i)
		}
	}
	t.Logf("yes %d, no %d, undecided %d; %d unsound, %d witnesses that are none", counts[schema.Yes], counts[schema.No], counts[schema.Undecided], unsound, untrue)
	if share := 1000 * counts[schema.Undecided]; share > maxUndecided*pairs {
		t.Errorf("%d of %d pairs are undecided, more than %d in a thousand", counts[schema.Undecided], pairs, maxUndecided)
	}
}

// keepsDeclared holds that a new version which counts as compatible refuses no
// document of declared names that the old one accepts. A name that stands anywhere
// in the old schema is declared.
func keepsDeclared(t *testing.T, old, new any, documents []document) {
	t.Helper()
	was, is := schemas.Text(old), schemas.Text(new)
	a, b := parse(t, was), parse(t, is)
	if schema.Compatibility(schema.Version{Input: a}, schema.Version{Input: b}, schema.Backward).Breaking {
		return
	}
	for _, d := range documents {
		object, _ := d.value.(map[string]any)
		undeclared := false
		for name := range object {
			undeclared = undeclared || declares(is, name) && !declares(was, name)
		}
		if !undeclared && tellsApart(a, b, d.value) {
			t.Errorf("compatible, but %s is refused\n%s\n%s", d.raw, was, is)
			return
		}
	}
}

// declares reports whether a text names a property: "a" is also a value.
func declares(text []byte, name string) bool {
	if name != "a" {
		return bytes.Contains(text, []byte(`"`+name+`"`))
	}
	return bytes.Contains(text, []byte(`"a":`)) || bytes.Contains(text, []byte(`["a"]`)) || bytes.Contains(text, []byte(`["a","x"]`))
}

func tellsApart(a, b *schema.Schema, v any) bool {
	return a.Accepts(v, false) && !b.Accepts(v, false) || a.Accepts(v, true) && !b.Accepts(v, true)
}

// agrees holds the evaluator to the independent validator, on some documents.
func agrees(t *testing.T, s *schema.Schema, documents []document, r *rand.Rand) {
	t.Helper()
	judge := judgesOf(t, s)
	for range 40 {
		d := documents[r.Intn(len(documents))]
		for i, formats := range []bool{true, false} {
			if ours, theirs := s.Accepts(d.value, formats), judge[i].Validate(decoded(t, d.raw)) == nil; ours != theirs {
				t.Errorf("%s: accepted %t, by the validator %t: %s", d.raw, ours, theirs, schemas.Text(s.Document()))
			}
		}
	}
}
