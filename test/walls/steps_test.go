package walls

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"testing"
)

// steps are those of a reconciliation, in their order.
var steps = []string{"observe", "plan", "inspect", "persist", "apply", "report"}

// maxFlags is how many boolean fields the story of a reconciliation may have: what a step finds
// out is its result, not a flag for the next.
const maxFlags = 3

// TestReconcilersTakeTheirSteps holds that the reconcilers of handlers and modules call their six
// steps once each, in order.
func TestReconcilersTakeTheirSteps(t *testing.T) {
	for _, kind := range []string{"handler", "module"} {
		var called []string
		body := findFunction(t, filepath.Join("..", "..", "pkg", "controller", kind, "controller.go"), "reconcile")
		ast.Inspect(body, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				if f, ok := call.Fun.(*ast.SelectorExpr); ok && slices.Contains(steps, f.Sel.Name) {
					called = append(called, f.Sel.Name)
				}
			}
			return true
		})
		if !slices.Equal(called, steps) {
			t.Errorf("reconcile of pkg/controller/%s calls %q, want %q", kind, called, steps)
		}
	}
}

// TestStoriesHaveFewFlags counts the boolean fields of the stories.
func TestStoriesHaveFewFlags(t *testing.T) {
	for path, name := range map[string]string{"handler/observe.go": "story", "module/controller.go": "story"} {
		flags, found := 0, false
		ast.Inspect(parseFile(t, filepath.Join("..", "..", "pkg", "controller", path)), func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok || spec.Name.Name != name {
				return true
			}
			found = true
			for _, field := range spec.Type.(*ast.StructType).Fields.List {
				if kind, ok := field.Type.(*ast.Ident); ok && kind.Name == "bool" {
					flags += max(1, len(field.Names))
				}
			}
			return false
		})
		if !found || flags > maxFlags {
			t.Errorf("the %s in pkg/controller/%s: found %t, with %d boolean fields, at most %d", name, path, found, flags, maxFlags)
		}
	}
}

func parseFile(t *testing.T, path string) *ast.File {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

func findFunction(t *testing.T, path, name string) *ast.BlockStmt {
	t.Helper()
	for _, d := range parseFile(t, path).Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Name.Name == name {
			return f.Body
		}
	}
	t.Fatalf("%s has no function %s", path, name)
	return nil
}
