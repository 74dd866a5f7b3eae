package walls

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"
)

// rolloutFolder has the machine that decides rollouts.
const rolloutFolder = "../../pkg/rollout"

// maxMachine is how many methods the machine of rollouts has at most, and maxTaking how many
// functions take it as an argument. What computes something has arguments and a result.
const (
	maxMachine = 90
	maxTaking  = 11
)

// TestRolloutMachineIsSmall counts what has the whole state of a rollout at hand.
func TestRolloutMachineIsSmall(t *testing.T) {
	methods, taking := 0, 0
	for _, file := range parseRollout(t) {
		for _, decl := range file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			switch {
			case ok && isMethodOf(f, "machine"):
				methods++
			case ok && takesMachine(f):
				taking++
			}
		}
	}
	if methods == 0 || methods > maxMachine || taking > maxTaking {
		t.Errorf("the machine of pkg/rollout has %d methods, want 1 to %d, and %d functions take it, want at most %d; give what only computes arguments and a result", methods, maxMachine, taking, maxTaking)
	}
}

// TestRolloutChangesInOneFile holds that the phase and the target of a rollout are assigned in
// one file, so that no strategy begins, completes or fails in its own way.
func TestRolloutChangesInOneFile(t *testing.T) {
	for _, field := range []string{"Phase", "Target"} {
		var files []string
		for name, file := range parseRollout(t) {
			if assignsRollout(file, field) {
				files = append(files, name)
			}
		}
		if len(files) != 1 || files[0] != "phases.go" {
			t.Errorf("ro.%s of pkg/rollout is assigned in %q, want phases.go alone", field, files)
		}
	}
}

// TestMachineIsFound holds that the searches themselves work.
func TestMachineIsFound(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "p.go", "package p\nfunc (m *machine) turn() { m.ro.Stable, m.ro.Target = a, nil }\nfunc gate(m *machine, weight int) { u.Phase = \"\" }\nfunc other(n int) {}\n", parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	if !assignsRollout(file, "Target") || assignsRollout(file, "Phase") {
		t.Error("want an assignment of the target found, and none of the phase, which is a unit's")
	}
	var taking []string
	for _, decl := range file.Decls {
		if f, ok := decl.(*ast.FuncDecl); ok && takesMachine(f) {
			taking = append(taking, f.Name.Name)
		}
	}
	if len(taking) != 1 || taking[0] != "gate" {
		t.Errorf("%q take the machine as an argument, want gate alone", taking)
	}
}

// parseRollout returns the product files of pkg/rollout by name.
func parseRollout(t *testing.T) map[string]*ast.File {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(rolloutFolder, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]*ast.File{}
	for _, path := range paths {
		if !strings.HasSuffix(path, "_test.go") {
			files[filepath.Base(path)] = parseFile(t, path)
		}
	}
	return files
}

func takesMachine(f *ast.FuncDecl) bool {
	for _, field := range f.Type.Params.List {
		if pointer, ok := field.Type.(*ast.StarExpr); ok {
			if name, ok := pointer.X.(*ast.Ident); ok && name.Name == "machine" {
				return true
			}
		}
	}
	return false
}

// assignsRollout reports whether a file assigns a field of the rollout's status, which the
// package calls ro.
func assignsRollout(file *ast.File, field string) (found bool) {
	ast.Inspect(file, func(n ast.Node) bool {
		assign, ok := n.(*ast.AssignStmt)
		if !ok {
			return true
		}
		for _, left := range assign.Lhs {
			s, ok := left.(*ast.SelectorExpr)
			if !ok || s.Sel.Name != field {
				continue
			}
			switch of := s.X.(type) {
			case *ast.Ident:
				found = found || of.Name == "ro"
			case *ast.SelectorExpr:
				found = found || of.Sel.Name == "ro"
			}
		}
		return true
	})
	return found
}
