package schemadiff

import (
	"math/rand"
	"sort"
	"strings"
	"testing"

	"gati.dev/gati/internal/testing/schemas"
	"gati.dev/gati/pkg/schema"
)

// pairs is enough for every class of disagreement to come several times.
const pairs = 1000

// TestAgainstOasdiff compares generated pairs, of which it is known which is the
// narrower. Where the two disagree it is by a keyword and for a reason that is
// listed here: anything else fails. Since the truth is known, so is who is right.
func TestAgainstOasdiff(t *testing.T) {
	r := rand.New(rand.NewSource(5))
	agreed, skipped := 0, map[string]int{}
	classes := map[string]int{}
	for i := range pairs {
		p := schemas.Core(r)
		if i%2 == 1 {
			p = schemas.More(r, i/2%len(schemas.Keywords()))
		}
		narrow, wide := p.Texts()
		for _, q := range []struct {
			old, new []byte
			request  bool
			breaks   bool
		}{{narrow, wide, true, false}, {wide, narrow, true, true}, {narrow, wide, false, true}, {wide, narrow, false, false}} {
			ours := isBreaking(t, q.old, q.new, q.request)
			if ours != q.breaks {
				t.Errorf("%s in %s: ours says breaking %t:\n%s\n%s", p.Keyword, p.Context, ours, q.old, q.new)
			}
			rules, err := findBreakingRules(q.old, q.new, q.request)
			switch theirs := len(rules) > 0; {
			case err != nil:
				skipped["cannot be loaded: "+p.Keyword]++
			case theirs == ours:
				agreed++
			default:
				classes[classify(p, theirs)]++
			}
		}
	}
	t.Logf("agreed %d of %d", agreed, 4*pairs)
	printCounts(t, classes)
	printCounts(t, skipped)
	for _, counts := range []map[string]int{classes, skipped} {
		for class, n := range counts {
			if _, known := reasons[class]; !known {
				t.Errorf("unclassified: oasdiff %s, %d times", class, n)
			}
		}
	}
}

// classify names a disagreement: by what stands around the change if oasdiff does not
// look there, else by the keyword.
func classify(p schemas.Pair, theirs bool) string {
	if theirs {
		return "reports a harmless change: " + p.Keyword
	}
	for _, context := range []string{"additionalProperties", "prefixItems", "allOf"} {
		if strings.Contains(p.Context, context) {
			return "does not see, below " + context
		}
	}
	return "does not see: " + p.Keyword
}

// isBreaking asks Subset, which keeps to the letter as the pairs do.
func isBreaking(t *testing.T, old, new []byte, request bool) bool {
	t.Helper()
	a, err := schema.Parse(old)
	if err != nil {
		t.Fatal(err)
	}
	b, err := schema.Parse(new)
	if err != nil {
		t.Fatal(err)
	}
	if !request {
		a, b = b, a
	}
	answer, _ := schema.Subset(a, b)
	return answer != schema.Yes
}

func printCounts(t *testing.T, counts map[string]int) {
	names := make([]string, 0, len(counts))
	for name := range counts {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		t.Logf("%5d  %s: %s", counts[name], name, reasons[name])
	}
}
