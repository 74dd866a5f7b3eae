package walls

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	// docPath matches a path of this repository in a code span. A constant or a
	// function may follow: `pkg/schema.maxSteps`.
	docPath = regexp.MustCompile("`((?:api|cmd|devcluster|docs|hack|internal|manifests|pkg|samples|test)/[a-zA-Z0-9/_.-]+)`")
	// codeSpan may hold what looks like a link, such as a regular expression.
	codeSpan = regexp.MustCompile("`[^`\n]*`")
	docTest  = regexp.MustCompile(`\bTest[A-Z][A-Za-z0-9]+\b`)
	docLink  = regexp.MustCompile(`\]\(([^)#:\s]*)(#[^)\s]+)?\)`)
	testDef  = regexp.MustCompile(`(?m)^func (Test[A-Z]\w+)\(`)
)

// TestDocsNameFilesThatExist holds that documents follow what is moved.
func TestDocsNameFilesThatExist(t *testing.T) {
	for _, page := range pages(t) {
		for _, m := range docPath.FindAllStringSubmatch(page.text, -1) {
			folder, _, isConstant := strings.Cut(m[1], ".")
			if !exists(m[1]) && (!isConstant || !exists(folder)) {
				t.Errorf("%s: there is no %s; name the path that took its place, or of another project the whole path", page.path, m[1])
			}
		}
	}
}

// TestDocsLinkToPagesThatExist covers relative links and their headings.
func TestDocsLinkToPagesThatExist(t *testing.T) {
	for _, page := range pages(t) {
		for _, m := range docLink.FindAllStringSubmatch(codeSpan.ReplaceAllString(page.text, ""), -1) {
			target := path.Join(path.Dir(page.path), m[1])
			if m[1] == "" {
				target = page.path
			}
			if !exists(target) {
				t.Errorf("%s links to %s, which does not exist", page.path, m[1])
				continue
			}
			if m[2] != "" && !hasHeading(t, target, m[2][1:]) {
				t.Errorf("%s links to %s%s, and nothing there has that anchor", page.path, m[1], m[2])
			}
		}
	}
}

// TestDocsNameTestsThatExist holds that a promise of a document keeps its test.
func TestDocsNameTestsThatExist(t *testing.T) {
	tests := definedTests(t)
	for _, page := range pages(t) {
		for _, name := range docTest.FindAllString(page.text, -1) {
			if !tests[name] {
				t.Errorf("%s: there is no %s; name the test that holds the promise now", page.path, name)
			}
		}
	}
}

// decisionParts are what each decision has, in this order.
var decisionParts = []string{"- Context: ", "- Decision: ", "- Alternatives: ", "- Consequence: "}

var decisionDate = regexp.MustCompile(`^20\d\d-\d\d-\d\d, accepted\b.*\.$`)

// TestDecisionsAreComplete holds the form that docs/decisions/README.md describes.
func TestDecisionsAreComplete(t *testing.T) {
	for _, page := range pages(t) {
		if !within(page.path, "docs/decisions") || path.Base(page.path) == "README.md" {
			continue
		}
		for _, section := range strings.Split(page.text, "\n## ")[1:] {
			title, rest, _ := strings.Cut(section, "\n")
			date, rest, _ := strings.Cut(strings.TrimSpace(rest), "\n")
			if !decisionDate.MatchString(date) {
				t.Errorf("%s, %q: want the date and the status below the title, got %q", page.path, title, date)
			}
			for _, part := range decisionParts {
				_, after, found := strings.Cut("\n"+rest, "\n"+part)
				if !found || strings.TrimSpace(after) == "" {
					t.Errorf("%s, %q: %q is missing, or before the part above it", page.path, title, part)
					break
				}
				rest = after
			}
		}
	}
}

// Bounds of docs/decisions: a record that takes longer explains how a figure was reached,
// and a folder that is larger is not read.
const (
	maxRecordLines = 12
	maxDecisionKB  = 90
)

// TestDecisionsAreShort holds the length of each record and of all together.
func TestDecisionsAreShort(t *testing.T) {
	size := 0
	for _, page := range pages(t) {
		if !within(page.path, "docs/decisions") {
			continue
		}
		size += len(page.text)
		for _, section := range strings.Split(page.text, "\n## ")[1:] {
			title, _, _ := strings.Cut(section, "\n")
			if lines := 1 + strings.Count(strings.TrimSpace(section), "\n"); lines > maxRecordLines {
				t.Errorf("%s, %q: %d lines, at most %d; keep the reason, and leave out how a figure was reached", page.path, title, lines, maxRecordLines)
			}
		}
	}
	if size == 0 || size > 1000*maxDecisionKB {
		t.Errorf("docs/decisions has %d bytes, want 1 to %d,000; delete records that are no longer in force", size, maxDecisionKB)
	}
}

// exists reports whether a path below the top of the repository exists.
func exists(name string) bool {
	_, err := os.Stat(filepath.Join("../..", name))
	return err == nil
}

// hasHeading reports whether a page has a heading with an anchor, as GitHub forms it, or
// an anchor of its own.
func hasHeading(t *testing.T, name, anchor string) bool {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("../..", name))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), `<a id="`+anchor+`">`) {
		return true
	}
	for _, line := range strings.Split(string(text), "\n") {
		title := strings.TrimLeft(line, "#")
		if title == line {
			continue
		}
		formed := strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-' || r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z':
				return r
			}
			return -1
		}, strings.ToLower(strings.TrimSpace(title)))
		if formed == anchor {
			return true
		}
	}
	return false
}

// definedTests returns the names of all tests of the repository, those of its other
// Go modules too.
func definedTests(t *testing.T) map[string]bool {
	t.Helper()
	return testsBelow(t, ".")
}
