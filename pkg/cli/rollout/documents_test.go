package rollout_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"gati.dev/gati/internal/testing/clitest"
	machine "gati.dev/gati/pkg/rollout"
)

// documentedFile is the manifest of docs/analysis.md: its first example, behind a gateway.
func documentedFile(t *testing.T, text string) string {
	t.Helper()
	_, after, found := strings.Cut(text, "```yaml\n")
	example, _, closed := strings.Cut(after, "```")
	if !found || !closed {
		t.Fatal("docs/analysis.md has no example")
	}
	head := "apiVersion: gati.dev/v1\nkind: GatiHandler\nmetadata: {name: users}\nspec:\n  path: /users\n  route: {parentRefs: [{name: web}]}\n  "
	return head + strings.ReplaceAll(strings.TrimSpace(example), "\n", "\n  ") + "\n"
}

// TestTheDocumentShowsWhatIsPrinted holds that the commands in docs/analysis.md print what it
// shows.
func TestTheDocumentShowsWhatIsPrinted(t *testing.T) {
	raw, err := os.ReadFile("../../../docs/analysis.md")
	if err != nil {
		t.Fatal(err)
	}
	text := string(raw)
	blocks := strings.Split(text, "```\n$ kubectl gati ")
	if len(blocks) < 2 {
		t.Fatal("docs/analysis.md shows no command")
	}
	for _, block := range blocks[1:] {
		shown, _, _ := strings.Cut(block, "```")
		command, want, _ := strings.Cut(shown, "\n")
		args, in := strings.Fields(command), documentedFile(t, text)
		if slices.Contains(args, "replay") {
			in = asYAML(t, recorded(t, 0, "v0.1.0", 0.5, machine.Next))
		}
		args[slices.Index(args, "-f")+1] = "-"
		got := clitest.Run(t.Context(), in, args...)
		if got.Stdout != want || got.Stderr != "" {
			t.Errorf("%s prints\n%s%s", command, got.Stdout, got.Stderr)
		}
	}
}
