package integration

import (
	"strings"
	"testing"

	"gati.dev/gati/test/support/page"
)

// TestModulesPage does what docs/modules.md says, in order: a yaml block is the file in
// its first line, an sh block is run, and each line of a text block is in what the
// commands before it print.
func TestModulesPage(t *testing.T) {
	t.Parallel()
	term, printed := page.Open(t, cluster, makeNamespace(t)), ""
	for _, b := range page.Read(t, "docs/modules.md") {
		switch b.Kind {
		case "yaml":
			term.Save(b)
		case "sh":
			printed = term.Type(b.Text)
		case "text":
			for line := range strings.Lines(b.Text) {
				if !strings.Contains(printed, strings.TrimSpace(line)) {
					t.Errorf("%q is not in what is printed:\n%s", line, printed)
				}
			}
		default:
			t.Errorf("a block of the kind %q, which nothing does", b.Kind)
		}
	}
}
