package walls

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestRaceHasWhatStartsGoroutines holds that "make race" covers each package that
// starts goroutines and has tests.
func TestRaceHasWhatStartsGoroutines(t *testing.T) {
	out, err := exec.Command("make", "-s", "-C", "../..", "--no-print-directory", "--dry-run", "race").Output()
	if err != nil {
		t.Fatal(err)
	}
	raced := strings.Fields(string(out))
	checked := 0
	for path, p := range packages(t) {
		tests, err := filepath.Glob(filepath.Join(p.Dir, "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		if len(tests) == 0 || withinAny(path, []string{"cmd", "pkg"}) == "" || !startsGoroutines(t, p) {
			continue
		}
		checked++
		if !slices.Contains(raced, "./"+path) {
			t.Errorf("%s starts goroutines; add it to RACE in the Makefile", path)
		}
	}
	if checked == 0 {
		t.Error("no package starts goroutines: this test looks for the wrong thing")
	}
}

// startsGoroutines reports whether a package has go statements, or calls Go of a group.
func startsGoroutines(t *testing.T, p *pkg) bool {
	t.Helper()
	found := false
	for _, name := range p.GoFiles {
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GoStmt:
				found = true
			case *ast.SelectorExpr:
				found = found || n.Sel.Name == "Go"
			}
			return !found
		})
	}
	return found
}
