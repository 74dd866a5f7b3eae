package walls

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"strings"
	"sync"
	"testing"
)

// module is the path of this module, with a slash behind it.
const module = "gati.dev/gati/"

// pkg is a package as "go list" describes it.
type pkg struct {
	ImportPath string
	Dir        string
	GoFiles    []string
	// Imports are direct, Deps transitive, both without those of tests.
	Imports []string
	Deps    []string
}

// list returns all packages of the module by their path below it, such as
// pkg/expand.
var list = sync.OnceValues(func() (map[string]*pkg, error) {
	cmd := exec.Command("go", "list", "-json=ImportPath,Dir,GoFiles,Imports,Deps", "./...")
	cmd.Dir = "../.."
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	var problems strings.Builder
	cmd.Stderr = &problems
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	packages := map[string]*pkg{}
	for dec := json.NewDecoder(out); ; {
		p := &pkg{}
		if err := dec.Decode(p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		if len(p.GoFiles) > 0 {
			packages[strings.TrimPrefix(p.ImportPath, module)] = p
		}
	}
	if err := cmd.Wait(); err != nil {
		return nil, errors.Join(err, errors.New(problems.String()))
	}
	return packages, nil
})

func packages(t *testing.T) map[string]*pkg {
	t.Helper()
	all, err := list()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// ours returns the path of a package below this module, and whether it is in it.
func ours(path string) (string, bool) { return strings.CutPrefix(path, module) }

// within reports whether a path is a package or below it.
func within(path, prefix string) bool {
	return path == prefix || strings.HasPrefix(path, prefix+"/")
}

// withinAny returns the first prefix that a path is within, empty when none.
func withinAny(path string, prefixes []string) string {
	for _, prefix := range prefixes {
		if within(path, prefix) {
			return prefix
		}
	}
	return ""
}
