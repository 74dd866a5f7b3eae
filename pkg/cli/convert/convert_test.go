package convert_test

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gati.dev/gati/internal/testing/clitest"
	"gati.dev/gati/internal/testing/golden"
	"gati.dev/gati/pkg/cli/exit"
)

// TestConvert holds what becomes of a file, and that nothing more becomes of that.
func TestConvert(t *testing.T) {
	t.Setenv("KUBECONFIG", os.DevNull)
	got := clitest.Run(t.Context(), "", "convert", "-f", "testdata/both.yaml")
	golden.Compare(t, "both.txt", got.Stdout)
	if got.Code != exit.OK || got.Stderr != "" {
		t.Errorf("got %+v", got)
	}
	if again := clitest.Run(t.Context(), got.Stdout, "convert", "-f", "-"); again.Stdout != got.Stdout {
		t.Errorf("converted twice (-once,+twice):\n%s", cmp.Diff(got.Stdout, again.Stdout))
	}
	if linted := clitest.Run(t.Context(), got.Stdout, "lint", "-f", "-", "--image", "app:v1"); linted.Code != exit.OK {
		t.Errorf("what came of it is refused: %+v", linted)
	}
}

// TestConvertNothing holds that nothing is printed where one object is at fault.
func TestConvertNothing(t *testing.T) {
	const bad = "apiVersion: gati.dev/v1alpha1\nkind: GatiHandler\nmetadata: {name: a}\nspec: {handlerPath: /a, env: {A: 1}}\n"
	good, err := os.ReadFile("testdata/both.yaml")
	if err != nil {
		t.Fatal(err)
	}
	got := clitest.Run(t.Context(), string(good)+"---\n"+bad, "convert", "-f", "-")
	if got.Code != exit.Unhealthy || got.Stdout != "" || strings.Count(got.Stderr, "\n") != 1 || !strings.HasPrefix(got.Stderr, "error: standard input:19: GatiHandler a: spec.env[A]: want a string, got a number") {
		t.Errorf("got %+v", got)
	}
}
