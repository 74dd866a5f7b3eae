package schema_test

import (
	"testing"

	"gati.dev/gati/internal/schemacases"
	"gati.dev/gati/pkg/schema"
)

// verdict is the result of solving a set of literals.
func verdict(r schema.Report) cases.Verdict {
	if !r.Breaking {
		return cases.Keeps
	}
	for _, f := range r.Findings {
		if !f.Undecided {
			return cases.Breaks
		}
	}
	return cases.Undecided
}

// TestCases checks every pair that the documentation shows.
func TestCases(t *testing.T) {
	count := 0
	for _, section := range cases.All() {
		for _, c := range section.Cases {
			count++
			t.Run(section.Title+"/"+c.Name, func(t *testing.T) {
				old, new := parse(t, []byte(c.Old)), parse(t, []byte(c.New))
				in := schema.Compatibility(schema.Version{Input: old}, schema.Version{Input: new}, schema.Backward)
				out := schema.Compatibility(schema.Version{Output: old}, schema.Version{Output: new}, schema.Backward)
				if got := verdict(in); got != c.Request {
					t.Errorf("request: got %s, want %s: %v", got, c.Request, in.Findings)
				}
				if got := verdict(out); got != c.Response {
					t.Errorf("response: got %s, want %s: %v", got, c.Response, out.Findings)
				}
			})
		}
	}
	if t.Logf("%d pairs", count); count < 150 {
		t.Errorf("%d pairs; the page promises at least 150", count)
	}
}
