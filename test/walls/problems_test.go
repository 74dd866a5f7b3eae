package walls

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// knownProblems is the number of rows in the table of problems of similar controllers.
const (
	problemsFile  = "../../docs/comparison.md"
	knownProblems = 15
)

var (
	problemRow   = regexp.MustCompile(`(?m)^\| ([^|]+) \| ([^|]*Test[^|]*) \|$`)
	problemTests = regexp.MustCompile("`((?:pkg|test)/[a-z/]+)`|(Test[A-Za-z0-9]+)")
)

// TestKnownProblemsHaveTests holds that each row names a test of the named package.
func TestKnownProblemsHaveTests(t *testing.T) {
	text, err := os.ReadFile(problemsFile)
	if err != nil {
		t.Fatal(err)
	}
	rows := problemRow.FindAllStringSubmatch(string(text), -1)
	if len(rows) != knownProblems {
		t.Errorf("%s has %d rows of problems, want %d", problemsFile, len(rows), knownProblems)
	}
	for _, row := range rows {
		named, in := 0, ""
		for _, m := range problemTests.FindAllStringSubmatch(row[2], -1) {
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
