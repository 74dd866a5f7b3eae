package version_test

import (
	"bytes"
	"strings"
	"testing"

	"k8s.io/cli-runtime/pkg/genericiooptions"

	"gati.dev/gati/internal/testing/gittest"
	"gati.dev/gati/pkg/cli/env"
	"gati.dev/gati/pkg/cli/exit"
	"gati.dev/gati/pkg/cli/version"
)

// TestDiffSchema compares a file of a git revision with standard input: with what breaks
// a caller of either direction, with itself, and with what is no schema.
func TestDiffSchema(t *testing.T) {
	repo := gittest.NewBare(t)
	repo.Seed("main", "a schema", map[string]string{"user.json": `{"type":"object","properties":{"a":{"type":"string"}}}`})
	t.Chdir(repo.Path)
	for _, c := range []struct {
		name, old, input, says string
		breaks                 bool
	}{
		{"breaks", "main:user.json", `{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`, "request /a request-property-became-required (breaking)", true},
		{"keeps", "main:user.json", `{"type":"object","properties":{"a":{"type":"string"}}}`, "BACKWARD: keeps its callers", false},
		{"no schema", "main:user.json", `{"type":"text"}`, `-: /type holds "text"`, false},
		{"no such revision", "v9:user.json", `{}`, "v9:user.json: there is no such file, and the revision cannot be read: git show", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			var out bytes.Buffer
			e := &env.Env{Streams: genericiooptions.IOStreams{In: strings.NewReader(c.input), Out: &out, ErrOut: &out}}
			cmd := version.NewCommand(e)
			cmd.SetArgs([]string{"diff", "--schema", c.old, "-"})
			cmd.SilenceUsage, cmd.SilenceErrors = true, true
			err := cmd.Execute()
			said := out.String()
			if err != nil {
				said += err.Error()
			}
			if exit.IsSilent(err) != c.breaks || !strings.Contains(said, c.says) {
				t.Errorf("got %v and\n%s", err, said)
			}
		})
	}
}
