package schema_test

import (
	"bytes"
	"flag"
	"math/rand"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"gati.dev/gati/internal/testing/metaschema"
	"gati.dev/gati/internal/testing/schemas"
	"gati.dev/gati/pkg/schema"
)

var (
	freePairs = flag.Int("free", 500, "how many pairs of any schemas to compare")
	seed      = flag.Int64("seed", 7, "the seed of the random tests")
)

// judges is an independent validator of a schema, with formats asserted and not
// asserted.
type judges [2]*jsonschema.Schema

func judgesOf(t testing.TB, s *schema.Schema) judges {
	t.Helper()
	var out judges
	for i, formats := range []bool{true, false} {
		compiled, err := metaschema.Compile(s, formats)
		if err != nil {
			t.Fatal(err)
		}
		out[i] = compiled
	}
	return out
}

func decoded(t testing.TB, raw []byte) any {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return v
}

// between reports whether a accepts and b refuses a document, in either reading of
// formats.
func between(a, b judges, v any) bool {
	for i := range a {
		if a[i].Validate(v) == nil && b[i].Validate(v) != nil {
			return true
		}
	}
	return false
}

// freePair generates two schemas without a known relation.
func freePair(r *rand.Rand) (a, b any) {
	a = schemas.Free(r)
	switch r.Intn(8) {
	case 0:
		b = schemas.Free(r)
	case 1:
		b = schemas.Copy(a)
	default:
		b = schemas.Related(r, a)
	}
	if r.Intn(2) == 0 {
		return b, a
	}
	return a, b
}

// TestSoundness compares random schemas. After a yes, no document may be found that
// distinguishes them; a no must come with such a document. An independent validator
// checks both.
func TestSoundness(t *testing.T) {
	r := rand.New(rand.NewSource(*seed))
	const wanted = 200
	counts := map[schema.Answer]int{}
	sampled, shown := 0, 0
	for range *freePairs {
		x, y := freePair(r)
		a, errA := schema.Parse(schemas.Text(x))
		b, errB := schema.Parse(schemas.Text(y))
		if errA != nil || errB != nil {
			continue // a reference that says nothing
		}
		got, witness := schema.Subset(a, b)
		counts[got]++
		judgeA, judgeB := judgesOf(t, a), judgesOf(t, b)
		switch got {
		case schema.Yes:
			passed := 0
			for tries := 0; passed < wanted && tries < 4*wanted; tries++ {
				v := decoded(t, schemas.Text(schemas.Instance(r, pickOne(r, x, y))))
				if between(judgeA, judgeB, v) {
					t.Errorf("yes, but %s tells them apart:\n%s\n%s", schemas.Text(v), schemas.Text(x), schemas.Text(y))
					return
				}
				if judgeA[1].Validate(v) == nil {
					passed++
				}
			}
			sampled += passed
		case schema.No:
			if witness == nil {
				continue
			}
			shown++
			if !between(judgeA, judgeB, decoded(t, witness)) {
				t.Errorf("no, but %s does not tell them apart:\n%s\n%s", witness, schemas.Text(x), schemas.Text(y))
				return
			}
		}
	}
	t.Logf("yes %d (%d documents tried on them), no %d (%d shown), undecided %d", counts[schema.Yes], sampled, counts[schema.No], shown, counts[schema.Undecided])
	if shown*10 < counts[schema.No]*9 {
		t.Errorf("%d of %d answers no come without a document", counts[schema.No]-shown, counts[schema.No])
	}
}

func pickOne(r *rand.Rand, of ...any) any { return of[r.Intn(len(of))] }
