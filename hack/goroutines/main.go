// Command goroutines prints the packages of the given patterns whose tests the race detector
// has to run: those whose code, tests left out, starts goroutines or is written for several.
//
//	go run ./hack/goroutines ./pkg/...
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
)

// concurrent are the imports of code that several goroutines run.
var concurrent = []string{"sync", "sync/atomic", "golang.org/x/sync/errgroup", "golang.org/x/sync/semaphore", "golang.org/x/sync/singleflight"}

// A listed is a package as "go list" describes it.
type listed struct {
	ImportPath, Dir           string
	GoFiles, CgoFiles         []string
	TestGoFiles, XTestGoFiles []string
}

func main() {
	if err := run(os.Stdout, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "goroutines:", err)
		os.Exit(1)
	}
}

func run(w io.Writer, patterns []string) error {
	packages, err := listPackages(patterns)
	if err != nil {
		return err
	}
	for _, p := range packages {
		if len(p.TestGoFiles)+len(p.XTestGoFiles) == 0 {
			continue
		}
		has, err := hasGoroutines(p)
		if err != nil {
			return err
		}
		if has {
			fmt.Fprintln(w, p.ImportPath)
		}
	}
	return nil
}

func listPackages(patterns []string) (packages []listed, err error) {
	cmd := exec.Command("go", append([]string{"list", "-json=ImportPath,Dir,GoFiles,CgoFiles,TestGoFiles,XTestGoFiles"}, patterns...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	for dec := json.NewDecoder(out); ; {
		var p listed
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return packages, cmd.Wait()
		} else if err != nil {
			return nil, errors.Join(err, cmd.Wait())
		}
		packages = append(packages, p)
	}
}

// hasGoroutines reports whether a package's code has go statements, or imports what only
// code for several goroutines needs.
func hasGoroutines(p listed) (bool, error) {
	for _, name := range slices.Concat(p.GoFiles, p.CgoFiles) {
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return false, err
		}
		if importsConcurrent(file) || startsGoroutine(file) {
			return true, nil
		}
	}
	return false, nil
}

func importsConcurrent(file *ast.File) bool {
	return slices.ContainsFunc(file.Imports, func(s *ast.ImportSpec) bool {
		path, err := strconv.Unquote(s.Path.Value)
		return err == nil && slices.Contains(concurrent, path)
	})
}

func startsGoroutine(file *ast.File) (found bool) {
	ast.Inspect(file, func(n ast.Node) bool {
		_, is := n.(*ast.GoStmt)
		found = found || is
		return !found
	})
	return found
}
