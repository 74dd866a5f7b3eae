package schemadiff

import (
	"flag"
	"slices"
	"strings"
	"testing"
	"time"

	"gati.dev/gati/internal/testing/schemas"
	"gati.dev/gati/pkg/schema"
)

// rounds is how often a figure is taken; what is printed is the median. As a test it
// takes each once, "make bench" five times.
var rounds = flag.Int("rounds", 1, "how often to take each figure")

const (
	// calls and theirCalls are how many comparisons of ours and of oasdiff's a round
	// times.
	calls, theirCalls = 50, 2
	// slack is how far beyond its bar a figure may be before a test fails: a time is
	// the machine's as much as ours.
	slack = 10
)

// TestBenchCompare times the comparison of two versions of which one property
// differs, from their texts and with the texts read before, and oasdiff's beside it.
// The bars of ours, without reading the texts,
// are 100 µs for a small schema and 5 ms for 64 KiB.
func TestBenchCompare(t *testing.T) {
	bars := map[string]time.Duration{schemas.Sizes[0].Name: 100 * time.Microsecond, schemas.Sizes[len(schemas.Sizes)-1].Name: 5 * time.Millisecond}
	for _, size := range schemas.Sizes {
		old, new := size.Pair()
		x, y := parseSchema(t, old), parseSchema(t, new)
		ours := perCall(calls, func() { schema.Compatibility(x, y, schema.Backward) })
		texts := perCall(calls, func() { compareVersions(t, old, new) })
		theirs := perCall(theirCalls, func() {
			if _, err := findBreakingRules(inlineRefs(old), inlineRefs(new), true); err != nil {
				t.Fatal(err)
			}
		})
		t.Logf("compare, %s: %s, with reading the texts %s (oasdiff: %s)", size.Name, ours, texts, theirs)
		if bar, ok := bars[size.Name]; ok && ours > slack*bar {
			t.Errorf("%s takes %s, more than %d times its bar of %s", size.Name, ours, slack, bar)
		}
	}
}

// perCall is how long one call takes.
func perCall(calls int, call func()) time.Duration {
	var figures []time.Duration
	for range *rounds {
		start := time.Now()
		for range calls {
			call()
		}
		figures = append(figures, time.Since(start)/time.Duration(calls))
	}
	slices.Sort(figures)
	return figures[*rounds/2].Round(100 * time.Nanosecond)
}

func compareVersions(t testing.TB, old, new []byte) {
	if !schema.Compatibility(parseSchema(t, old), parseSchema(t, new), schema.Backward).Breaking {
		t.Fatal("the narrower property was not seen")
	}
}

func parseSchema(t testing.TB, raw []byte) schema.Version {
	s, err := schema.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	return schema.Version{Input: s}
}

// inlineRefs leaves out the references, which oasdiff does not load.
func inlineRefs(raw []byte) []byte {
	return []byte(strings.ReplaceAll(string(raw), `{"$ref":"#/$defs/address"}`, `{"type":"object"}`))
}
