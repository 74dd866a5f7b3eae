package cli_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"gati.dev/gati/internal/testing/clitest"
	"gati.dev/gati/internal/testing/golden"
	"gati.dev/gati/pkg/cli/exit"
)

// TestMistyped holds what command lines lead to that are mistyped, half remembered or those
// of other tools: an error of usage in one line, which names the command that was meant.
func TestMistyped(t *testing.T) {
	t.Setenv("KUBECONFIG", os.DevNull)
	lines, err := os.ReadFile("testdata/mistyped.in")
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for _, line := range strings.Split(strings.TrimSpace(string(lines)), "\n") {
		got := clitest.Run(t.Context(), "", strings.Fields(line)...)
		if got.Code != exit.Usage || got.Stdout != "" || strings.Count(got.Stderr, "\n") != 1 {
			t.Errorf("%q: %+v", line, got)
		}
		fmt.Fprintf(&out, "$ kubectl gati %s\n%s", line, got.Stderr)
	}
	golden.Compare(t, "mistyped.txt", out.String())
}
