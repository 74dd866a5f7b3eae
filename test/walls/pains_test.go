package walls

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// pains is where the table of others' pains is, and how many there are.
const (
	painsFile = "../../docs/decisions/rollouts.md"
	pains     = 15
)

var (
	painRow   = regexp.MustCompile(`(?m)^\| ([^|]+) \| (.*Test.*) \|$`)
	painTests = regexp.MustCompile("`((?:pkg|test)/[a-z/]+)`|(Test[A-Za-z0-9]+)")
)

// TestPainsAreNamedTests holds that each pain of others has a test, by its name, in
// the package that the table says.
func TestPainsAreNamedTests(t *testing.T) {
	text, err := os.ReadFile(painsFile)
	if err != nil {
		t.Fatal(err)
	}
	rows := painRow.FindAllStringSubmatch(string(text), -1)
	if len(rows) != pains {
		t.Errorf("%s has tests for %d pains, want %d", painsFile, len(rows), pains)
	}
	for _, row := range rows {
		named, in := 0, ""
		for _, m := range painTests.FindAllStringSubmatch(row[2], -1) {
			if m[1] != "" {
				in = m[1]
				continue
			}
			if named++; !hasTest(t, in, m[2]) {
				t.Errorf("%s: %s has no %s", row[1], in, m[2])
			}
		}
		if named == 0 {
			t.Errorf("%s: no test is named", row[1])
		}
	}
}

func hasTest(t *testing.T, folder, name string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("../..", folder, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "func "+name+"(t *testing.T)") {
			return true
		}
	}
	return false
}
