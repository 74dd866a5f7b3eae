package application_test

import (
	"strings"
	"testing"

	"gati.dev/gati/internal/testing/clitest"
	"gati.dev/gati/pkg/cli/exit"
)

// TestBuildRefuses holds what is said before anything is built. test/programs/app builds.
func TestBuildRefuses(t *testing.T) {
	dir := shop(t)
	t.Setenv("KUBECONFIG", "/dev/null")
	for want, args := range map[string][]string{
		"there is no package.json": {t.TempDir()},
		`--image is "Shop v1"`:     {dir, "--image", "Shop v1"},
		"none of devcluster's":     {dir, "--load"},
		`the base image ":"`:       {dir, "--base", ":"},
	} {
		if got := clitest.Run(t.Context(), "", append([]string{"build"}, args...)...); got.Code == exit.OK || !strings.Contains(got.Stderr, want) {
			t.Errorf("%v: got %+v, want %q", args, got, want)
		}
	}
	t.Setenv("PATH", t.TempDir())
	if got := clitest.Run(t.Context(), "", "build", dir); got.Code != exit.Error || !strings.Contains(got.Stderr, "install Node.js 18.18 or later") {
		t.Errorf("without Node.js: got %+v", got)
	}
}
