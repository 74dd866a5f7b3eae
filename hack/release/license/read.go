package license

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/google/licensecheck"
)

var (
	// licenseNames match what authors call a licence, noticeNames what has to be passed on
	// with it.
	licenseNames = regexp.MustCompile(`(?i)^(un)?licen[cs]e|^copying`)
	noticeNames  = regexp.MustCompile(`(?i)^(notice|patents|copyright)`)
	// documentNames match the licence of a module's documents, which no program links.
	documentNames = regexp.MustCompile(`(?i)^licen[cs]e[.-]docs$`)
	codeNames     = regexp.MustCompile(`(?i)\.(go|tmpl|ya?ml|json|sh)$`)
)

// minCovered is the share of a file, in percent, that has to be the text of licences:
// beside them stand names and years.
const minCovered = 75

// readModule reads the licences and notices in the folders of a module.
func readModule(at location, dirs []string) (Module, error) {
	m := Module{Path: at.path, Version: at.version}
	for _, dir := range dirs {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return m, err
		}
		for _, e := range entries {
			if !e.Type().IsRegular() || !isLegal(e.Name()) {
				continue
			}
			text, err := os.ReadFile(filepath.Join(dir, e.Name()))
			if err != nil {
				return m, err
			}
			relative, err := filepath.Rel(at.dir, filepath.Join(dir, e.Name()))
			if err != nil {
				return m, err
			}
			m.Files = append(m.Files, File{filepath.ToSlash(relative), text})
			if licenseNames.MatchString(e.Name()) {
				m.Licenses = append(m.Licenses, classifyText(text)...)
			}
		}
	}
	slices.Sort(m.Licenses)
	m.Licenses = slices.Compact(m.Licenses)
	return m, nil
}

// isLegal reports whether a file is a licence of code, or a notice.
func isLegal(name string) bool {
	if codeNames.MatchString(name) || documentNames.MatchString(name) {
		return false
	}
	return licenseNames.MatchString(name) || noticeNames.MatchString(name)
}

// classifyText returns the licences that a text consists of. A text that is mostly something
// else counts as a licence of its own, which is not allowed.
func classifyText(text []byte) []string {
	coverage := licensecheck.Scan(text)
	var out []string
	for _, match := range coverage.Match {
		if !match.IsURL {
			out = append(out, match.ID)
		}
	}
	if coverage.Percent < minCovered || len(out) == 0 {
		return []string{"LicenseRef-" + strings.Join(append(out, "unknown"), "-")}
	}
	return out
}
