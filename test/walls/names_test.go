package walls

import (
	"os/exec"
	"regexp"
	"strconv"
	"testing"
)

// Shares of functions whose names are one lower-case word and so name no object, in percent.
// Lower them with each renaming, and never raise them.
const (
	maxOneWordNames       = 6
	maxOneWordTestHelpers = 18
)

// TestNamesHaveVerbAndObject holds the shares that hack/names prints.
func TestNamesHaveVerbAndObject(t *testing.T) {
	cmd := exec.Command("go", "run", "./hack/names", ".")
	cmd.Dir = "../.."
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	for pattern, limit := range map[string]int{
		`in the median; (\d+) % are one lower-case word`:        maxOneWordNames,
		`helpers; the names of (\d+) % are one lower-case word`: maxOneWordTestHelpers,
	} {
		m := regexp.MustCompile(pattern).FindSubmatch(out)
		if m == nil {
			t.Fatalf("hack/names prints no line like %q:\n%s", pattern, out)
		}
		if share, err := strconv.Atoi(string(m[1])); err != nil || share > limit {
			t.Errorf("%d %% of names are one lower-case word, at most %d are allowed; name them by verb and object:\n%s", share, limit, out)
		}
	}
}
