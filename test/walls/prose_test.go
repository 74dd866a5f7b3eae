package walls

import (
	"go/ast"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// textReaders are the packages that may look into a message, and into whose.
var textReaders = map[string]string{
	"pkg/webhook/admission": "answers of the API server to dry runs",
	"pkg/expand/origin":     "answers of the API server to dry runs",
	"pkg/controller/report": "why the API server refuses pods",
	"pkg/cli/install":       "conflicts of field managers",
}

// textTests are the functions of strings that look into a text.
var textTests = []string{"HasPrefix", "HasSuffix", "TrimPrefix", "TrimSuffix", "CutPrefix", "CutSuffix", "Contains", "Cut"}

// TestStateIsNotReadFromTexts holds that product code scans no text, and looks for no words
// in a message or an error, except of other programs: what is decided has a type.
func TestStateIsNotReadFromTexts(t *testing.T) {
	reads := map[string]bool{}
	for _, root := range []string{"cmd", "pkg", "api"} {
		err := filepath.WalkDir(filepath.Join("..", "..", root), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			ast.Inspect(parseFile(t, path), func(n ast.Node) bool {
				if what := readsText(n); what != "" {
					reader := readerOf(path)
					if reads[reader] = true; reader == "" {
						t.Errorf("%s: %s; give what it looks for a type", path, what)
					}
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for folder, texts := range textReaders {
		if !reads[folder] {
			t.Errorf("%s no longer reads %s; take it out of textReaders", folder, texts)
		}
	}
}

// readerOf returns the package of textReaders that a file belongs to, empty where there is
// none.
func readerOf(path string) string {
	for folder := range textReaders {
		if strings.HasPrefix(filepath.ToSlash(path), "../../"+folder+"/") {
			return folder
		}
	}
	return ""
}

// readsText returns the call by which a node looks into a message, empty where it does not.
func readsText(n ast.Node) string {
	call, ok := n.(*ast.CallExpr)
	if !ok || len(call.Args) == 0 {
		return ""
	}
	f, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	from, _ := f.X.(*ast.Ident)
	switch {
	case from == nil:
		return ""
	case from.Name == "fmt" && strings.HasPrefix(f.Sel.Name, "Sscan"):
		return "fmt." + f.Sel.Name
	case from.Name == "strings" && slices.Contains(textTests, f.Sel.Name) && isMessage(call.Args[0]) && !isPunctuation(call.Args):
		return "strings." + f.Sel.Name + " of a message"
	default:
		return ""
	}
}

// isPunctuation reports whether nothing but a full stop or the like is looked for.
func isPunctuation(args []ast.Expr) bool {
	literal, ok := args[len(args)-1].(*ast.BasicLit)
	return ok && !strings.ContainsFunc(strings.Trim(literal.Value, "\"`"), unicode.IsLetter)
}

// messages are the names of fields and variables that hold sentences for people.
var messages = []string{"Message", "message", "Sentence", "sentence", "Title", "Does", "Outcome", "Refused", "Reason", "reason", "why", "Why"}

// isMessage reports whether an expression is a text for people, or contains one.
func isMessage(e ast.Expr) bool {
	found := false
	ast.Inspect(e, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.SelectorExpr:
			found = found || slices.Contains(messages, x.Sel.Name) || x.Sel.Name == "Error"
		case *ast.Ident:
			found = found || slices.Contains(messages, x.Name)
		}
		return !found
	})
	return found
}

// placeholder matches a word that a command's help has in place of a value.
var placeholder = regexp.MustCompile(`\b(HANDLER|NAME|VERSION|SHARE|PERCENT)\b`)

// TestMessagesHaveNoPlaceholders holds that decisions and refusals, which are stored and shown
// as they are, name the handler and the version of their commands.
func TestMessagesHaveNoPlaceholders(t *testing.T) {
	for _, folder := range []string{"rollout", "decide", "controller", "admit", "compat", "records", "request", "validation", "target"} {
		err := filepath.WalkDir(filepath.Join("..", "..", "pkg", folder), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			ast.Inspect(parseFile(t, path), func(n ast.Node) bool {
				if text, ok := n.(*ast.BasicLit); ok && text.Kind == token.STRING && placeholder.MatchString(text.Value) {
					t.Errorf("%s: %s has a placeholder; write the value", path, text.Value)
				}
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
