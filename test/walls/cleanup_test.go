package walls

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// TestNoCleanupAsksWithTheTestsContext holds that no cleanup makes a request with the
// context of its test, which has ended by then: the request is never sent, and what it
// should remove is there when the test runs once more.
func TestNoCleanupAsksWithTheTestsContext(t *testing.T) {
	cleanups := 0
	for _, folder := range []string{"cmd", "hack", "internal", "pkg", "test"} {
		err := filepath.WalkDir(filepath.Join("../..", folder), func(path string, _ fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") {
				return err
			}
			files := token.NewFileSet()
			file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(n ast.Node) bool {
				if called(n) != "Cleanup" {
					return true
				}
				cleanups++
				for _, at := range contextsOfTests(n) {
					t.Errorf("%s: the context of the test has ended when its cleanups run; use context.WithoutCancel or one with a deadline", files.Position(at))
				}
				return false
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if cleanups < 50 {
		t.Errorf("%d cleanups were found: this test looks for the wrong thing", cleanups)
	}
}

// contextsOfTests returns where a node calls t.Context, but for those whose end is taken
// off.
func contextsOfTests(in ast.Node) (out []token.Pos) {
	ast.Inspect(in, func(n ast.Node) bool {
		switch called(n) {
		case "WithoutCancel":
			return false
		case "Context":
			of := n.(*ast.CallExpr).Fun.(*ast.SelectorExpr).X
			if s, ok := of.(*ast.SelectorExpr); ok {
				of = s.Sel
			}
			if name, ok := of.(*ast.Ident); ok && name.Name == "t" {
				out = append(out, n.Pos())
			}
		}
		return true
	})
	return out
}

// called returns the name of the method or function of a package that a node calls.
func called(n ast.Node) string {
	call, ok := n.(*ast.CallExpr)
	if !ok {
		return ""
	}
	if s, ok := call.Fun.(*ast.SelectorExpr); ok {
		return s.Sel.Name
	}
	return ""
}
