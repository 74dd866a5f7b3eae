// Command names prints how the names, sizes and comments of a Go tree read, so that
// they can be compared with those of another project: names [dir].
//
// Generated files and dependencies are left out. Of tests and of what only they use, under
// test and internal/testing, only the names of helpers count, apart from the others.
package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// idioms are ways to begin the comment of a predicate; Go's own is the last.
var idioms = []string{"tells that", "tells whether", "says whether", "reports whether"}

// A figures holds what was counted.
type figures struct {
	fileLines, funcLines, nameLengths []int
	lowerCaseWords                    int
	// testFuncs and testWords count the helpers of tests: all, and those with one lower-case word.
	testFuncs, testWords int
	idioms               map[string]int
}

func main() {
	dir := "."
	if len(os.Args) > 1 {
		dir = os.Args[1]
	}
	f, err := countTree(dir)
	if err != nil {
		fmt.Fprintln(os.Stderr, "names:", err)
		os.Exit(1)
	}
	f.printFigures(os.Stdout)
}

// countTree counts the Go files below a folder.
func countTree(dir string) (*figures, error) {
	f := &figures{idioms: map[string]int{}}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && path != dir && isLeftOut(entry.Name()):
			return filepath.SkipDir
		case entry.IsDir(), !strings.HasSuffix(path, ".go"):
			return nil
		}
		return f.addFile(path, isTest(dir, path))
	})
	return f, err
}

// isLeftOut reports whether a folder holds nothing that its project wrote by hand.
func isLeftOut(name string) bool {
	return name == "vendor" || name == "testdata" || strings.HasPrefix(name, ".")
}

// isTest reports whether a file is a test, or in a folder that only tests use.
func isTest(dir, path string) bool {
	below, err := filepath.Rel(dir, path)
	below = filepath.ToSlash(below)
	return err == nil && (strings.HasSuffix(path, "_test.go") || strings.HasPrefix(below, "test/") || strings.HasPrefix(below, "internal/testing/"))
}

func (f *figures) addFile(path string, isTest bool) error {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	if ast.IsGenerated(file) {
		return nil
	}
	if isTest {
		f.addTestFuncs(file)
		return nil
	}
	f.fileLines = append(f.fileLines, set.File(file.Pos()).LineCount())
	for _, decl := range file.Decls {
		if fn, ok := decl.(*ast.FuncDecl); ok {
			f.addFunc(fn, set.Position(fn.End()).Line-set.Position(fn.Pos()).Line+1)
		}
	}
	for _, group := range file.Comments {
		text := strings.Join(strings.Fields(group.Text()), " ")
		for _, idiom := range idioms {
			f.idioms[idiom] += strings.Count(text, idiom)
		}
	}
	return nil
}

func (f *figures) addTestFuncs(file *ast.File) {
	for _, decl := range file.Decls {
		if fn, ok := decl.(*ast.FuncDecl); ok && !isEntry(fn.Name.Name) {
			f.testFuncs++
			if isOneWord(fn.Name.Name) {
				f.testWords++
			}
		}
	}
}

// isEntry reports whether go test calls a function by its name.
func isEntry(name string) bool {
	return slices.ContainsFunc([]string{"Test", "Benchmark", "Fuzz", "Example"}, func(prefix string) bool { return strings.HasPrefix(name, prefix) })
}

// isOneWord reports whether a name is one lower-case word, which names no object.
func isOneWord(name string) bool { return strings.ToLower(name) == name }

func (f *figures) addFunc(fn *ast.FuncDecl, lines int) {
	name := fn.Name.Name
	f.funcLines = append(f.funcLines, lines)
	f.nameLengths = append(f.nameLengths, len(name))
	if isOneWord(name) {
		f.lowerCaseWords++
	}
}

func (f *figures) printFigures(w io.Writer) {
	fmt.Fprintf(w, "files        %6d   lines: median %d, largest %d\n", len(f.fileLines), median(f.fileLines), largest(f.fileLines))
	fmt.Fprintf(w, "functions    %6d   lines: median %d, largest %d\n", len(f.funcLines), median(f.funcLines), largest(f.funcLines))
	fmt.Fprintf(w, "their names  %6d   characters in the median; %.0f %% are one lower-case word\n",
		median(f.nameLengths), 100*float64(f.lowerCaseWords)/float64(max(1, len(f.funcLines))))
	fmt.Fprintf(w, "in tests     %6d   helpers; the names of %.0f %% are one lower-case word\n",
		f.testFuncs, 100*float64(f.testWords)/float64(max(1, f.testFuncs)))
	for _, idiom := range idioms {
		fmt.Fprintf(w, "comments     %6d   %q\n", f.idioms[idiom], idiom)
	}
}

func median(values []int) int {
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	return values[len(values)/2]
}

func largest(values []int) int {
	if len(values) == 0 {
		return 0
	}
	return slices.Max(values)
}
