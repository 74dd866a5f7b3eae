package walls

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

// phrases are turns that hide the subject or the verb of a sentence, with what to
// write instead.
var phrases = map[string]string{
	"tells that":              "X reports whether …, or X is true when …",
	"tells whether":           "X reports whether …",
	"says whether":            "X reports whether …",
	"whatever it is":          "name it",
	"somebody":                "name the person: a user, an operator, another manager",
	"need you":                "needs attention",
	"it was not confirmed":    "cancelled; nothing changed",
	"there never was":         "no such version: …",
	"in their way":            "no conflicts",
	"the records ask for":     "requested by the version records",
	"does not come by itself": "cannot be reached: …",
	"make what is installed":  "Upgrade the installed …",
	"take gati away":          "Remove Gati",
	"and leave what runs":     "leave workloads running",
	"wait until it is so":     "Wait for a condition: …",
	"whether it is meant":     "Skip the confirmation prompt",
	"so the time decides":     "drain.deadline decides",
	"is in the way":           "name the obstacle",
	"say so in the status":    "name the condition or field",
	"untold":                  "name what was not reported",
	"withouttraces":           "name what is added or removed",
	"on old news":             "because of an outdated cache",
	"news is on its way":      "the cache will be updated",
	"is told of":              "X receives …, or X reports …",
	"are told of":             "X receives …, or X reports …",
	"be told of":              "X receives …, or X reports …",
	"is as good as none":      "name the reason why it has no effect",
	"who looks":               "name the user, the view or the reconciler",
	"is none that":            "X is not …",
	"and what lasts":          "name the states that last",
	"those who wait":          "the waiting handlers",
	"something has to serve":  "is the stable version; promote another first",
	"if any share is well":    "to accept any share, …",
	"which those without a":   "the contract of callers without a version",
	"goes because of":         "is removed because of",
	"names of their own":      "must be unique",
	"empty is none":           "…, or empty for none",
}

// scanned are the folders whose Go files and documents are read.
var scanned = []string{"api", "cmd", "docs", "hack", "internal", "manifests", "pkg", "test"}

// TestPlainWords holds that comments, messages and documents keep to plain statements.
func TestPlainWords(t *testing.T) {
	for _, folder := range scanned {
		err := filepath.WalkDir(filepath.Join("../..", folder), func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !isProse(name) {
				return err
			}
			text, err := os.ReadFile(name)
			if strings.HasSuffix(name, "_test.go") {
				text = commentsOnly(text)
			}
			for _, found := range findPhrases(string(text)) {
				t.Errorf("%s:%d: %q; write: %s", strings.TrimPrefix(name, "../../"), found.line, found.phrase, phrases[found.phrase])
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// isProse reports whether a file has sentences that people of this project write. The
// list above and hack/names, which counts such phrases, are no prose; goldens follow
// the code.
func isProse(name string) bool {
	switch {
	case strings.HasSuffix(name, "words_test.go"), within(filepath.ToSlash(name), "../../hack/names"),
		strings.Contains(name, "/testdata/"), strings.Contains(filepath.Base(name), "zz_generated"):
		return false
	}
	return strings.HasSuffix(name, ".go") || strings.HasSuffix(name, ".md")
}

// commentsOnly blanks the code of a test: what it sends and expects is data.
func commentsOnly(text []byte) []byte {
	lines := strings.Split(string(text), "\n")
	for i, line := range lines {
		if !strings.HasPrefix(strings.TrimSpace(line), "//") {
			lines[i] = ""
		}
	}
	return []byte(strings.Join(lines, "\n"))
}

type foundPhrase struct {
	phrase string
	line   int
}

// findPhrases returns the phrases of a text with their lines. A phrase may continue on
// the next line of a comment.
func findPhrases(text string) (found []foundPhrase) {
	joined := lineBreak.ReplaceAllStringFunc(strings.ToLower(text), func(br string) string {
		return "\n" + strings.Repeat("\x00", len(br)-1)
	})
	flat := strings.NewReplacer("\n", " ", "\x00", "").Replace(joined)
	for phrase := range phrases {
		if !strings.Contains(flat, phrase) {
			continue
		}
		words := regexp.MustCompile(strings.ReplaceAll(regexp.QuoteMeta(phrase), " ", `[ \n]\x00*`))
		for _, at := range words.FindAllStringIndex(joined, -1) {
			found = append(found, foundPhrase{phrase, 1 + strings.Count(joined[:at[0]], "\n")})
		}
	}
	return found
}

var lineBreak = regexp.MustCompile(`\n[\t ]*(?:// ?)?`)

// TestPhrasesAreFound holds that the search itself works.
func TestPhrasesAreFound(t *testing.T) {
	text := "package p\n\n// Complete tells\n\t// that every pod runs.\nvar s = \"Somebody\"\n"
	found := map[string]int{}
	for _, f := range findPhrases(text) {
		found[f.phrase] = f.line
	}
	if len(found) != 2 || found["tells that"] != 3 || found["somebody"] != 5 {
		t.Errorf("found %v, want tells that in line 3 and somebody in line 5", found)
	}
}

// wordy are the types whose methods read as a sequence of decisions or checks.
var wordy = map[string]string{
	"pkg/rollout":           "machine",
	"pkg/webhook/admission": "Validator",
}

// oneWord are methods whose one word is an interface's or the field's own.
var oneWord = []string{"Handle", "String", "Error"}

// TestMethodsSayVerbAndObject holds that methods of these types have names of more than
// one word: m.adopt() hides what m.syncUnits() says.
func TestMethodsSayVerbAndObject(t *testing.T) {
	for folder, typeName := range wordy {
		p, ok := packages(t)[folder]
		if !ok {
			t.Errorf("there is no %s", folder)
			continue
		}
		methods := 0
		for _, name := range p.GoFiles {
			file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			for _, decl := range file.Decls {
				f, ok := decl.(*ast.FuncDecl)
				if !ok || !isMethodOf(f, typeName) {
					continue
				}
				methods++
				if isOneWord(f.Name.Name) {
					t.Errorf("%s: the method %s of %s has one word; name it by verb and object", folder, f.Name.Name, typeName)
				}
			}
		}
		if methods == 0 {
			t.Errorf("%s: %s has no methods; name the type that took its place", folder, typeName)
		}
	}
}

func isMethodOf(f *ast.FuncDecl, typeName string) bool {
	if f.Recv == nil || len(f.Recv.List) != 1 {
		return false
	}
	receiver := f.Recv.List[0].Type
	if pointer, ok := receiver.(*ast.StarExpr); ok {
		receiver = pointer.X
	}
	ident, ok := receiver.(*ast.Ident)
	return ok && ident.Name == typeName
}

// isOneWord reports whether no letter behind the first is in upper case.
func isOneWord(name string) bool {
	for _, known := range oneWord {
		if name == known {
			return false
		}
	}
	return strings.IndexFunc(name[1:], unicode.IsUpper) < 0
}
