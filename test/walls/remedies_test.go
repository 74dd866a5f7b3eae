package walls

import (
	"go/ast"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// remedyPackage has the commands that messages name.
const remedyPackage = "pkg/remedy"

// command matches one that a reader may type: the programs are named in prose as well.
var command = regexp.MustCompile(`\b(kubectl (gati [a-z]|krew |-|annotate|api-resources|apply|auth|config|create|delete|describe|diff|edit|exec|explain|get|label|logs|patch|replace|rollout|run|scale|set|top|wait)|helm (-|get|history|install|list|rollback|status|template|test|uninstall|upgrade)\b|(kubectl|helm) $)`)

// TestCommandsOfMessagesAreRemedies holds that messages take the commands that they name from
// pkg/remedy. The help of a command is no message.
func TestCommandsOfMessagesAreRemedies(t *testing.T) {
	eachProductFile(t, func(path string, file *ast.File) {
		if within(path, remedyPackage) {
			return
		}
		var above []ast.Node
		ast.Inspect(file, func(n ast.Node) bool {
			if n == nil {
				above = above[:len(above)-1]
				return true
			}
			if isHelp(above, n) {
				return false
			}
			if text := literalText(n); command.MatchString(text) {
				t.Errorf("%s: %q names a command; take it from %s", path, text, remedyPackage)
			}
			above = append(above, n)
			return true
		})
	})
}

// eachProductFile parses the files of api, cmd and pkg that are no tests.
func eachProductFile(t *testing.T, look func(path string, file *ast.File)) {
	t.Helper()
	for _, root := range []string{"api", "cmd", "pkg"} {
		err := filepath.WalkDir(filepath.Join("../..", root), func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") {
				look(strings.TrimPrefix(filepath.ToSlash(path), "../../"), parseFile(t, path))
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// literalText returns the text of a literal, empty for other nodes.
func literalText(n ast.Node) string {
	if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
		text, _ := strconv.Unquote(l.Value)
		return text
	}
	return ""
}

// helpNames are the fields and constants that hold the help of a command.
var helpNames = []string{"Long", "Short", "Example", "long", "short", "example", "examples"}

// isHelp reports whether a node is the help of a command or of a flag, by where it stands.
func isHelp(above []ast.Node, n ast.Node) bool {
	if len(above) == 0 {
		return false
	}
	switch parent := above[len(above)-1].(type) {
	case *ast.KeyValueExpr:
		return n == parent.Value && slices.Contains(helpNames, nameOf(parent.Key))
	case *ast.ValueSpec:
		return slices.Contains(helpNames, parent.Names[0].Name)
	case *ast.AssignStmt:
		i := slices.IndexFunc(parent.Rhs, func(e ast.Expr) bool { return e == n })
		return i >= 0 && i < len(parent.Lhs) && slices.Contains(helpNames, nameOf(parent.Lhs[i]))
	case *ast.CallExpr:
		f, ok := parent.Fun.(*ast.SelectorExpr)
		return ok && isFlagSet(f.X)
	default:
		return false
	}
}

// isFlagSet reports whether an expression is the flags of a command.
func isFlagSet(e ast.Expr) bool {
	if call, ok := e.(*ast.CallExpr); ok {
		return nameOf(call.Fun) == "Flags" || nameOf(call.Fun) == "PersistentFlags"
	}
	return nameOf(e) == "flags"
}

// nameOf returns the last name of an expression, empty where it has none.
func nameOf(e ast.Node) string {
	switch x := e.(type) {
	case *ast.Ident:
		return x.Name
	case *ast.SelectorExpr:
		return x.Sel.Name
	default:
		return ""
	}
}

// TestEveryRemedyIsExecuted holds that each remedy is named by product code, and that a test
// executes it: one is an argument of a function named execute…, or in a table of remedies.
func TestEveryRemedyIsExecuted(t *testing.T) {
	named, executed := map[string]bool{}, map[string]bool{}
	eachProductFile(t, func(_ string, file *ast.File) {
		ast.Inspect(file, func(n ast.Node) bool {
			named[remedyOf(n)] = true
			return true
		})
	})
	files, err := allTests()
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		ast.Inspect(parseFile(t, path), func(n ast.Node) bool {
			for _, r := range executedBy(n) {
				executed[r] = true
			}
			return true
		})
	}
	all := remedies(t)
	for _, r := range all {
		if !named[r] {
			t.Errorf("no message names remedy.%s; remove it", r)
		}
		if !executed[r] {
			t.Errorf("no test executes remedy.%s; execute it by remedies.Execute in the state that its message is about", r)
		}
	}
	if len(all) == 0 {
		t.Errorf("%s has no remedies", remedyPackage)
	}
}

// remedies returns the names of the constants of pkg/remedy.
func remedies(t *testing.T) (all []string) {
	t.Helper()
	ast.Inspect(parseFile(t, filepath.Join("../..", remedyPackage, "remedy.go")), func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok && nameOf(spec.Type) == "Remedy" {
			all = append(all, spec.Names[0].Name)
		}
		return true
	})
	return all
}

// remedyOf returns the name of the remedy that a node refers to, empty where it is another.
func remedyOf(n ast.Node) string {
	if s, ok := n.(*ast.SelectorExpr); ok && nameOf(s.X) == "remedy" {
		return s.Sel.Name
	}
	return ""
}

// executedBy returns the remedies that a call executes or that a table has.
func executedBy(n ast.Node) (found []string) {
	switch x := n.(type) {
	case *ast.CallExpr:
		if strings.HasPrefix(strings.ToLower(nameOf(x.Fun)), "execute") {
			for _, arg := range x.Args {
				found = append(found, remedyOf(arg))
			}
		}
	case *ast.CompositeLit:
		switch kind := x.Type.(type) {
		case *ast.ArrayType:
			if remedyOf(kind.Elt) == "Remedy" {
				for _, e := range x.Elts {
					found = append(found, remedyOf(e))
				}
			}
		case *ast.MapType:
			if remedyOf(kind.Key) == "Remedy" {
				for _, e := range x.Elts {
					found = append(found, remedyOf(e.(*ast.KeyValueExpr).Key))
				}
			}
		}
	}
	return found
}
