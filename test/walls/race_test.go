package walls

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// TestTheRaceDetectorRunsWhatHasGoroutines holds that "make unit" runs each package of the
// product whose code starts goroutines under the race detector, whole.
func TestTheRaceDetectorRunsWhatHasGoroutines(t *testing.T) {
	recipe := recipeOf(t, "unit")
	if len(recipe) != 2 || !strings.Contains(recipe[0], "$(TEST_RACE)") || !strings.Contains(recipe[0], "go run ./hack/goroutines $(UNIT)") || strings.Contains(recipe[0], " -run") || strings.Contains(recipe[0], "-skip") {
		t.Errorf("make unit does not run what hack/goroutines prints, whole, under the race detector: %q", recipe)
	}
	cmd := exec.Command("go", "run", "./hack/goroutines", "./...")
	cmd.Dir = "../.."
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	found := strings.Fields(string(out))
	for _, known := range []string{"pkg/controller/handler", "pkg/signals", "pkg/schema", "test/support/load"} {
		if !slices.Contains(found, module+known) {
			t.Errorf("hack/goroutines does not find %s", known)
		}
	}
	if slices.Contains(found, module+"pkg/naming") {
		t.Error("hack/goroutines takes pkg/naming, which only computes, for concurrent")
	}
}
