package scaffold_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gati.dev/gati/pkg/scaffold"
	"gati.dev/gati/pkg/schema"
)

var update = flag.Bool("update", false, "write the goldens")

func parse(t *testing.T, text string) *schema.Schema {
	t.Helper()
	s, err := schema.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// pair compares the schemas as "version scaffold" does.
func pair(t *testing.T, handler string, old, new schema.Version) scaffold.Pair {
	t.Helper()
	return scaffold.Pair{
		Handler: handler, From: "v1.0.0", To: "v2.0.0", Old: old, New: new,
		Findings: schema.Compatibility(old, new, schema.Backward).Findings,
	}
}

func TestFile(t *testing.T) {
	tests := map[string]scaffold.Pair{
		// A renamed field, a required one, a narrower enum, a list of objects in another shape.
		"user-orders": pair(t, "user-orders",
			schema.Version{
				Input: parse(t, `{"type":"object","properties":{"name":{"type":"string"},"kind":{"enum":["person","company","robot"]},
					"items":{"type":"array","items":{"type":"object","properties":{"zip":{"type":"string"}}}}}}`),
				Output: parse(t, `{"type":"object","required":["name"],"properties":{"name":{"type":"string"},"tags":{"type":"object","additionalProperties":{"type":"object","required":["at"],"properties":{"at":{"type":"integer"}}}}}}`),
			},
			schema.Version{
				Input: parse(t, `{"type":"object","required":["full name","locale"],"properties":{"full name":{"type":"string"},"locale":{"type":"string"},"kind":{"enum":["person","company"]},
					"items":{"type":"array","items":{"type":"object","required":["code"],"properties":{"code":{"type":["string","null"]}}}}}}`),
				Output: parse(t, `{"type":"object","required":["full name"],"properties":{"full name":{"$ref":"#/$defs/text"},"tags":{"type":"object","additionalProperties":{"type":"object","properties":{"at":{"type":"integer"}}}}},"$defs":{"text":{"type":"string"}}}`),
			}),
		"same": pair(t, "same", schema.Version{Output: parse(t, `{"type":"object"}`)}, schema.Version{Output: parse(t, `{"type":"object"}`)}),
		"hostile": pair(t, "hostile",
			schema.Version{Input: parse(t, `{"type":"object","properties":{"__proto__":{"const":"*/ alert(1) /*"},"b\u202e":{"enum":["\u009b",null,1.5,true]}}}`)},
			schema.Version{Input: parse(t, `{"type":"object","required":["__proto__","a\u2028b\n"]}`)}),
	}
	typed := tests["user-orders"]
	typed.TypeScript = true
	tests["user-orders.ts"] = typed
	for name, p := range tests {
		t.Run(name, func(t *testing.T) {
			golden := filepath.Join("testdata", strings.TrimSuffix(name, ".ts")+filepath.Ext(p.FileName()))
			got := p.File()
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("(-want,+got):\n%s", diff)
			}
		})
	}
}

// TestEveryFindingIsThere holds that no finding is lost on the way to its place.
func TestEveryFindingIsThere(t *testing.T) {
	p := pair(t, "users", schema.Version{}, schema.Version{})
	for _, path := range []string{"", "/a", "/a/b", "/a/*", "/a/*/c", "/*", "/*/x", "/~1~0"} {
		for _, direction := range []schema.Direction{schema.Request, schema.Response} {
			p.Findings = append(p.Findings, schema.Finding{Rule: "rule" + path, Direction: direction, Path: path, Message: "of " + string(direction)})
		}
	}
	file := p.File()
	for _, f := range p.Findings {
		if line := "// TODO " + f.Rule + ": " + f.Message + "\n"; strings.Count(file, line) != 1 {
			t.Errorf("%q is there %d times in\n%s", line, strings.Count(file, line), file)
		}
	}
}

func TestNames(t *testing.T) {
	p := scaffold.Pair{Handler: "user-orders", From: "tsv:1732186200-users-001", To: "tsv:1732186300-users-002"}
	if got, want := p.FileName(), "user-orders-1732186200-users-001-to-1732186300-users-002.js"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if p.RequestName() != "userOrdersUp" || p.ResponseName() != "userOrdersDown" {
		t.Errorf("got %s and %s", p.RequestName(), p.ResponseName())
	}
}
