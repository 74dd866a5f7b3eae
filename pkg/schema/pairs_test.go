package schema_test

import (
	"flag"
	"math/rand"
	"sort"
	"strings"
	"testing"

	"gati.dev/gati/internal/testing/schemas"
	"gati.dev/gati/pkg/schema"
)

var pairs = flag.Int("pairs", 10_000, "how many built pairs to compare, each in both directions")

func parse(t testing.TB, raw []byte) *schema.Schema {
	t.Helper()
	s, err := schema.Parse(raw)
	if err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return s
}

// TestCorePairs checks that pairs of the core keywords, one known to be narrower, are
// decided correctly in both directions.
func TestCorePairs(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for range *pairs {
		p := schemas.Core(r)
		narrow, wide := p.Texts()
		a, b := parse(t, narrow), parse(t, wide)
		if got, witness := schema.Subset(a, b); got != schema.Yes {
			t.Errorf("%s in %s:\n%s\n⊆ %s\nis %v (%s), want yes", p.Keyword, p.Context, narrow, wide, got, witness)
		}
		if got, _ := schema.Subset(b, a); got != schema.No {
			t.Errorf("%s in %s:\n%s\n⊄ %s\nis %v, want no", p.Keyword, p.Context, wide, narrow, got)
		}
		if t.Failed() {
			return
		}
	}
	t.Logf("%d comparisons", 2**pairs)
}

// TestMorePairs checks the same for the other keywords, of which a few may be
// undecided.
func TestMorePairs(t *testing.T) {
	const each, bar = 400, 10
	r := rand.New(rand.NewSource(2))
	for i, keyword := range schemas.Keywords() {
		undecided := map[string]int{}
		wrong := 0
		for range each {
			p := schemas.More(r, i)
			narrow, wide := p.Texts()
			a, b := parse(t, narrow), parse(t, wide)
			for _, q := range []struct {
				a, b *schema.Schema
				want schema.Answer
			}{{a, b, schema.Yes}, {b, a, schema.No}} {
				got, witness := schema.Subset(q.a, q.b)
				if got == schema.Undecided {
					undecided[q.want.String()]++
					if testing.Verbose() && undecided[q.want.String()] == 1 {
						t.Logf("undecided, want %v: %s\n %s", q.want, narrow, wide)
					}
				} else if got != q.want {
					wrong++
					t.Errorf("%s: %s\n%s: got %v (%s), want %v", keyword, narrow, wide, got, witness, q.want)
				}
			}
		}
		open := undecided["yes"] + undecided["no"]
		t.Logf("%-22s wrong %d, undecided %.1f %% (%s)", keyword, wrong, 100*float64(open)/(2*each), told(undecided))
		if open*100 > bar*2*each {
			t.Errorf("%s: %d of %d undecided, more than %d %%", keyword, open, 2*each, bar)
		}
	}
}

func told(counts map[string]int) string {
	var out []string
	for name := range counts {
		out = append(out, name)
	}
	sort.Strings(out)
	if len(out) == 0 {
		return "all decided"
	}
	return "for " + strings.Join(out, " and ")
}
