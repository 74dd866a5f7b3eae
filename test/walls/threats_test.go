package walls

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const attacks = "test/security"

// namedTests matches a test of the table of threats, and the folders in parentheses that
// follow it.
var namedTests = regexp.MustCompile("`(Test[A-Z]\\w+)`(?: \\(([a-z][a-z0-9/, ]*)\\))?")

// TestThreatsHaveTests holds that each threat of docs/security.md names what shows that it
// is stopped, that the tests are in the folders named, and that each attack is in the table.
func TestThreatsHaveTests(t *testing.T) {
	text, err := os.ReadFile("../../docs/security.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "\n## Threats\n")
	section, _, _ = strings.Cut(section, "\n## ")
	rows := threats(section)
	if len(rows) == 0 {
		t.Fatal("docs/security.md has no table of threats")
	}
	for _, row := range rows {
		tests := namedTests.FindAllStringSubmatch(row[2], -1)
		if len(tests) == 0 && !docPath.MatchString(row[2]) {
			t.Errorf("no test shows that it is stopped: %s", row[0])
		}
		for _, m := range tests {
			checkFolders(t, m[1], m[2])
		}
	}
	for name := range testsBelow(t, attacks) {
		if name != "TestMain" && !strings.Contains(section, "`"+name+"`") {
			t.Errorf("%s of %s is in no row of docs/security.md", name, attacks)
		}
	}
}

// threats returns the cells of each row of a table.
func threats(section string) (rows [][]string) {
	for line := range strings.Lines(section) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), " | ")
		if len(cells) == 3 && !strings.HasPrefix(line, "| threat |") {
			rows = append(rows, cells)
		}
	}
	return rows
}

func checkFolders(t *testing.T, name, folders string) {
	t.Helper()
	if folders == "" {
		return // TestDocsNameTestsThatExist finds it anywhere.
	}
	for folder := range strings.SplitSeq(folders, ", ") {
		if !testsBelow(t, folder)[name] {
			t.Errorf("docs/security.md: there is no %s in %s", name, folder)
		}
	}
}

// testsBelow returns the names of the tests in a folder and below it.
func testsBelow(t *testing.T, folder string) map[string]bool {
	t.Helper()
	tests := map[string]bool{}
	err := filepath.WalkDir(filepath.Join("../..", folder), func(name string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(name, "_test.go") {
			return err
		}
		text, err := os.ReadFile(name)
		for _, m := range testDef.FindAllStringSubmatch(string(text), -1) {
			tests[m[1]] = true
		}
		return err
	})
	if err != nil {
		t.Errorf("docs/security.md: tests of %s: %v", folder, err)
	}
	return tests
}
