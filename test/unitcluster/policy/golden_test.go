package policy

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gati.dev/gati/test/support/terminal"
)

// record collects what a golden file holds.
type record struct{ strings.Builder }

// addLine adds what was tried and how it went.
func (r *record) addLine(tried, went string) { fmt.Fprintf(r, "%s\n    %s\n", tried, went) }

// compareGolden holds the record against a golden file, or writes it.
func (r *record) compareGolden(t *testing.T, name string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if terminal.Updates() {
		if err := os.WriteFile(path, []byte(r.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(r.String(), "\n")); diff != "" {
		t.Errorf("not what %s says; after a look, run: go test ./test/unitcluster/policy -update (-want +got):\n%s", path, diff)
	}
}
