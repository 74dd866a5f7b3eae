package walls

import (
	"go/ast"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// walkStep matches a file and a function that is declared there, behind an arrow where
// another function calls it.
var walkStep = regexp.MustCompile("(→ )?`([a-z/_]+\\.go)` `([A-Za-z]+)`")

// minWalkCalls is the number of calls that the walk follows at least.
const minWalkCalls = 20

// TestWalkFollowsTheCode holds that docs/architecture.md leads a new reader through files,
// functions and calls that exist.
func TestWalkFollowsTheCode(t *testing.T) {
	text, err := os.ReadFile("../../docs/architecture.md")
	if err != nil {
		t.Fatal(err)
	}
	_, walk, _ := strings.Cut(string(text), "## A walk through the code\n")
	walk, _, _ = strings.Cut(walk, "\n## ")
	calls := 0
	for _, line := range strings.Split(walk, "\n") {
		var caller *ast.FuncDecl
		for _, step := range walkStep.FindAllStringSubmatch(line, -1) {
			function := findDeclaration(t, step[2], step[3])
			if function == nil {
				t.Errorf("%s declares no function %s; name the one that took its place in docs/architecture.md", step[2], step[3])
			}
			if step[1] != "" {
				if calls++; caller != nil && !makesCall(caller, step[3]) {
					t.Errorf("%s does not call %s; mend the walk in docs/architecture.md: %s", caller.Name.Name, step[3], line)
				}
			}
			caller = function
		}
	}
	if calls < minWalkCalls {
		t.Errorf("the walk follows %d calls, want at least %d", calls, minWalkCalls)
	}
}

// findDeclaration returns a function or method of a file, nil if there is none.
func findDeclaration(t *testing.T, file, name string) *ast.FuncDecl {
	t.Helper()
	for _, decl := range parseFile(t, filepath.Join("../..", file)).Decls {
		if f, ok := decl.(*ast.FuncDecl); ok && f.Name.Name == name {
			return f
		}
	}
	return nil
}

// makesCall reports whether a function calls one of that name.
func makesCall(caller *ast.FuncDecl, name string) (found bool) {
	ast.Inspect(caller, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		switch f := call.Fun.(type) {
		case *ast.Ident:
			found = found || f.Name == name
		case *ast.SelectorExpr:
			found = found || f.Sel.Name == name
		}
		return true
	})
	return found
}
