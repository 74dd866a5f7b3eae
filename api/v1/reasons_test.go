package v1_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gati.dev/gati/internal/testing/crdtest"
	"gati.dev/gati/internal/testing/reasons"
)

// TestReasonsAreListed compares each list of reasons with the constants of its type
// and with the enum of the CRD.
func TestReasonsAreListed(t *testing.T) {
	crd := crdtest.Load(t, "GatiHandler", "v1")
	tests := map[string]struct {
		listed []string
		enum   []string
	}{
		"WaitingReason": {texts(reasons.Waiting()), crd.Enum("status", "rollout", "waitingFor", "reason")},
		"StaysReason":   {texts(reasons.Stays()), crd.Enum("status", "versions", "stays", "reason")},
		// A condition's reason is of Kubernetes' own type, which has no enum.
		"ConditionReason": {texts(reasons.Conditions()), texts(reasons.Conditions())},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(constantsOf(t, name), tc.listed); diff != "" {
				t.Errorf("the constants and the list differ (-constants +list):\n%s", diff)
			}
			slices.Sort(tc.listed)
			slices.Sort(tc.enum)
			if diff := cmp.Diff(tc.listed, tc.enum); diff != "" {
				t.Errorf("the list and the CRD differ (-list +CRD):\n%s", diff)
			}
		})
	}
}

func texts[T ~string](reasons []T) []string {
	var out []string
	for _, r := range reasons {
		out = append(out, string(r))
	}
	return out
}

// constantsOf returns the values of the constants of a type in reasons.go.
func constantsOf(t *testing.T, name string) []string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "reasons.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if of, ok := spec.Type.(*ast.Ident); ok && of.Name == name {
			text, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			out = append(out, text)
		}
		return true
	})
	return out
}

// TestReasonsAreDocumented checks that docs/status.md explains exactly these reasons.
func TestReasonsAreDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/status.md")
	if err != nil {
		t.Fatal(err)
	}
	_, tables, _ := strings.Cut(string(page), "## Reasons to wait and to stay")
	var documented []string
	for _, row := range regexp.MustCompile("(?m)^\\| `([A-Za-z]+)` \\|").FindAllStringSubmatch(tables, -1) {
		documented = append(documented, row[1])
	}
	want := append(texts(reasons.Waiting()), texts(reasons.Stays())...)
	if diff := cmp.Diff(want, documented); diff != "" {
		t.Errorf("the reasons and docs/status.md differ (-reasons +page):\n%s", diff)
	}
}
