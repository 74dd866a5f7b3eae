package plugin

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gati.dev/gati/internal/testing/manyways"
	"gati.dev/gati/test/support/repository"
)

// TestFilesAreReadAsByTheRealKubectl types each file of a table to kubectl and to every command
// that takes one: the same objects are in it, and the same files are refused.
func TestFilesAreReadAsByTheRealKubectl(t *testing.T) {
	t.Parallel()
	const ns = "files"
	env.Namespace(t, ns)
	paths, err := filepath.Glob(repository.Path("pkg", "cli", "manifest", "testdata", "files", "*"))
	if err != nil || len(paths) < 12 {
		t.Fatal(paths, err)
	}
	// kubectl does not try a file as a whole: TestDiffOfAFileWithItsNamespace.
	paths = slices.DeleteFunc(paths, func(path string) bool { return filepath.Base(path) == "namespace-and-handler.yaml" })
	paths = append(paths, manyways.Write(t)...)
	if len(paths) < 60 {
		t.Fatalf("%d files, want 60", len(paths))
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			out, ok := env.Kubectl(t.Context(), "", "-n", ns, "apply", "--dry-run=server", "-o", "name", "-f", path)
			want := listHandlers(out)
			diff := runGati(t, "diff", "-f", path, "-n", ns, "-o", "json")
			if read := diff.code <= 1; read != ok {
				t.Fatalf("diff ends with %d; kubectl apply succeeds: %v\n%s", diff.code, ok, out)
			}
			for _, command := range []string{"lint", "expand", "convert"} {
				if got := runGati(t, command, "-f", path); (got.code == 0) != ok {
					t.Errorf("%s ends with %d; kubectl apply succeeds: %v\n%s", command, got.code, ok, out)
				}
			}
			if !ok {
				return
			}
			if got := readDiffed(t, diff.out); !cmp.Equal(want, got) {
				t.Errorf("diff finds %q, kubectl %q\n%s", got, want, out)
			}
		})
	}
}

// listHandlers returns the handlers that kubectl has named, sorted.
func listHandlers(out string) (names []string) {
	for _, line := range strings.Fields(out) {
		if name, found := strings.CutPrefix(line, "gatihandler.gati.dev/"); found {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// readDiffed returns the handlers that diff -o json is about, sorted.
func readDiffed(t *testing.T, text string) (names []string) {
	t.Helper()
	var list struct {
		Items []struct{ Name string }
	}
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	for _, item := range list.Items {
		names = append(names, item.Name)
	}
	slices.Sort(names)
	return names
}
