package schema_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gati.dev/gati/internal/schemacases"
	"gati.dev/gati/internal/testing/golden"
	"gati.dev/gati/pkg/schema"
)

// evolutions are the pairs of testdata/evolutions with their verdicts.
var evolutions = []struct {
	name              string
	request, response cases.Verdict
}{
	{"dialect-draft-07", cases.Breaks, cases.Keeps},
	{"dialect-typebox-tuple", cases.Keeps, cases.Breaks},
	{"dialect-typebox-recursive", cases.Keeps, cases.Breaks},
	{"dialect-typebox-cyclic", cases.Keeps, cases.Keeps},
	{"dialect-openapi30-exclusive", cases.Breaks, cases.Keeps},
	{"message-union-kind-requires-more", cases.Breaks, cases.Keeps},
	{"message-zod-int", cases.Breaks, cases.Keeps},
	{"message-literal-removed", cases.Breaks, cases.Keeps},
	{"message-kind-removed", cases.Breaks, cases.Keeps},
	{"message-zod-closed-object", cases.Breaks, cases.Breaks},
	{"message-info-contradicts", cases.Breaks, cases.Keeps},
}

// TestEvolutions checks the verdicts and the report of each pair.
func TestEvolutions(t *testing.T) {
	for _, e := range evolutions {
		t.Run(e.name, func(t *testing.T) {
			dir := filepath.Join("testdata", "evolutions", e.name)
			old, new := readSchema(t, dir, "old.json"), readSchema(t, dir, "new.json")
			var out strings.Builder
			for _, n := range new.Upgrades() {
				fmt.Fprintf(&out, "upgrade %s\n", n)
			}
			for _, q := range []struct {
				direction schema.Direction
				want      cases.Verdict
				old, new  schema.Version
			}{
				{schema.Request, e.request, schema.Version{Input: old}, schema.Version{Input: new}},
				{schema.Response, e.response, schema.Version{Output: old}, schema.Version{Output: new}},
			} {
				report := schema.Compatibility(q.old, q.new, schema.Backward)
				if got := verdict(report); got != q.want {
					t.Errorf("%s: got %s, want %s", q.direction, got, q.want)
				}
				fmt.Fprintf(&out, "\n%s %s\n", q.direction, q.want)
				for _, f := range append(report.Findings, schema.Notes(q.old, q.new, schema.Backward)...) {
					fmt.Fprintf(&out, "  %s %s\n    %s %s\n    %s\n", f.Severity, f, f.In, f.Pointer, f.Remedy)
				}
			}
			golden.Compare(t, filepath.Join("evolutions", e.name, "report.golden"), out.String())
		})
	}
}

func readSchema(t *testing.T, dir, name string) *schema.Schema {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return parse(t, raw)
}
