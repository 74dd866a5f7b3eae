package version_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/cli-runtime/pkg/genericiooptions"

	"gati.dev/gati/internal/testing/gittest"
	"gati.dev/gati/internal/testing/golden"
	"gati.dev/gati/pkg/cli/env"
	"gati.dev/gati/pkg/cli/exit"
	"gati.dev/gati/pkg/cli/version"
)

const (
	oldCard = `{
  "type": "object",
  "properties": {
    "id": {"type": "string"},
    "kind": {"enum": ["card", "iban", "@all <b>*x*</b>"]}
  },
  "required": ["id"]
}`
	newCard = `{
  "type": "object",
  "properties": {
    "id": {
      "type": "string",
      "maxLength": 8
    },
    "kind": {"enum": ["card", "iban"]},
    "a/b~c": {"type": "string"}
  },
  "required": ["id", "a/b~c"]
}`
)

// TestReports holds what a diff is for a pull request, for annotations and for code scanning:
// with names that these would read as their own syntax, places of files alone, and lines that
// have what they name.
func TestReports(t *testing.T) {
	repo := gittest.NewBare(t)
	repo.Seed("main", "a schema", map[string]string{"card.json": oldCard})
	for file, text := range map[string]string{"old, card.json": oldCard, "card:new.json": newCard} {
		if err := os.WriteFile(filepath.Join(repo.Path, file), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, format := range []string{"", "markdown", "github", "sarif"} {
		for name, old := range map[string]string{"files": "old, card.json", "revision": "main:card.json"} {
			out := diffIn(t, repo.Path, old, "card:new.json", "--output", format)
			golden.Compare(t, filepath.Join("reports", name+strings.TrimSuffix("-"+format, "-")+".txt"), out)
			if format == "sarif" && !json.Valid([]byte(out)) {
				t.Error("this is no JSON")
			}
		}
	}
}

// diffIn compares two schemas in a directory. Callers break, as the output shows.
func diffIn(t *testing.T, dir string, args ...string) string {
	t.Helper()
	back, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	defer t.Chdir(back)
	var out bytes.Buffer
	e := &env.Env{Streams: genericiooptions.IOStreams{In: strings.NewReader(""), Out: &out, ErrOut: &out}}
	cmd := version.NewCommand(e)
	cmd.SetArgs(append([]string{"diff", "--schema"}, args...))
	cmd.SilenceUsage, cmd.SilenceErrors = true, true
	if err := cmd.Execute(); !exit.IsSilent(err) {
		t.Fatal(err)
	}
	return out.String()
}
