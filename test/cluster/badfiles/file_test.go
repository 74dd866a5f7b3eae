package badfiles

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"text/template"
)

// file is one of testdata.
type file struct {
	// name is the file's without .yaml; its object has it too, where it can.
	name string
	// comment says what is wrong.
	comment string
	// documents are what to apply, each by itself.
	documents []document
	// setup is the object stored before; empty if there is none.
	setup string
}

// document is one thing to apply.
type document struct {
	// version is v1 or v1alpha1. What is of neither stands with v1, since no
	// conversion takes part in it.
	version string
	text    string
}

// documentFor returns the document of a version, nil when there is none.
func (f file) documentFor(version string) *document {
	for i := range f.documents {
		if f.documents[i].version == version {
			return &f.documents[i]
		}
	}
	return nil
}

// namespaceOr is the one that the documents name, or that of all others.
func (f file) namespaceOr(otherwise string) string {
	if m := namespaceLine.FindStringSubmatch(f.documents[0].text); m != nil {
		return m[1]
	}
	return otherwise
}

var (
	namespaceLine = regexp.MustCompile(`(?m)^metadata:.*\bnamespace: ([a-z-]+)`)
	olderVersion  = regexp.MustCompile(`(?m)^apiVersion: gati\.dev/v1alpha1$`)
)

// loadFiles reads testdata.
func loadFiles(t testing.TB) []file {
	t.Helper()
	paths, err := filepath.Glob("testdata/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	setups, out := map[string]string{}, []file{}
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".yaml")
		text := renderFile(t, path)
		if of, isSetup := strings.CutSuffix(name, ".setup"); isSetup {
			setups[of] = text
			continue
		}
		comment, rest, _ := strings.Cut(text, "\n")
		f := file{name: name, comment: strings.TrimPrefix(comment, "# ")}
		if f.comment == comment {
			t.Fatalf("%s: the first line must be a comment that says what is wrong", path)
		}
		for part := range strings.SplitSeq(rest, "\n---\n") {
			f.documents = append(f.documents, document{version: versionOf(part), text: part})
		}
		out = append(out, f)
	}
	for i := range out {
		out[i].setup = setups[out[i].name]
		delete(setups, out[i].name)
	}
	for name := range setups {
		t.Errorf("%s.setup.yaml belongs to no file", name)
	}
	return out
}

func versionOf(text string) string {
	if olderVersion.MatchString(text) {
		return "v1alpha1"
	}
	return "v1"
}

// renderFile executes a file as a template. What it may call makes long text out of
// a short one.
func renderFile(t testing.TB, path string) string {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	parsed, err := template.New(path).Funcs(template.FuncMap{
		"repeat": func(n int, text string) string { return strings.Repeat(text, n) },
		"many":   repeatText,
	}).Parse(string(raw))
	if err == nil {
		err = parsed.Execute(&out, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// repeatText is a text so many times with commas between, each with another word in
// place of #.
func repeatText(n int, text string) string {
	list := make([]string, n)
	for i := range list {
		list[i] = strings.ReplaceAll(text, "#", "n"+strings.Map(digitToLetter, numberToWord(i)))
	}
	return strings.Join(list, ", ")
}

// numberToWord counts in letters, so that it may stand in every kind of name.
func numberToWord(i int) string {
	return string([]byte{byte(i / 100 % 10), byte(i / 10 % 10), byte(i % 10)})
}

func digitToLetter(r rune) rune { return 'a' + r }
