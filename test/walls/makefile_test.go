package walls

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

const (
	// maxMakefile is how many lines the Makefile has at most.
	maxMakefile = 220
	// maxRecipe is how many lines the recipe of a target has at most; longer ones are scripts in hack.
	maxRecipe = 6
)

var (
	target       = regexp.MustCompile(`^([A-Za-z0-9_./-]+):`)
	peerTest     = regexp.MustCompile(`(?m)^func (Test\w+)\(t \*testing\.T\) \{\n\tpeers\.Need\(t\)`)
	peerNeed     = regexp.MustCompile(`peers\.Need\(`)
	peerPackages = []string{"unitcluster/target", "cluster/rollout", "cluster/install"}
)

// TestTheMakefileIsSmall holds the size of the Makefile and of each recipe.
func TestTheMakefileIsSmall(t *testing.T) {
	lines := strings.Split(strings.TrimSuffix(readMakefile(t), "\n"), "\n")
	if len(lines) > maxMakefile {
		t.Errorf("the Makefile has %d lines, at most %d are allowed; move recipes to hack", len(lines), maxMakefile)
	}
	recipes := recipes(t)
	if len(recipes) < 20 {
		t.Errorf("%d targets: this test looks for the wrong thing", len(recipes))
	}
	for name, recipe := range recipes {
		if len(recipe) > maxRecipe {
			t.Errorf("the recipe of %s has %d lines, at most %d are allowed; make it a script in hack", name, len(recipe), maxRecipe)
		}
	}
}

// TestPeersAreRunByName holds that "make test-peers" runs each test that "make test" skips.
func TestPeersAreRunByName(t *testing.T) {
	recipe := strings.Join(recipeOf(t, "test-peers"), "\n")
	named := regexp.MustCompile(`-run '(\S+)'`).FindStringSubmatch(recipe)
	if named == nil {
		t.Fatalf("make test-peers names no tests:\n%s", recipe)
	}
	for _, folder := range peerPackages {
		if !strings.Contains(recipe, "./test/"+folder) {
			t.Errorf("make test-peers does not run test/%s", folder)
		}
	}
	files, err := allTests()
	if err != nil {
		t.Fatal(err)
	}
	run, checked := regexp.MustCompile(named[1]), 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		found := peerTest.FindAllStringSubmatch(string(text), -1)
		if needs := len(peerNeed.FindAllString(string(text), -1)); needs != len(found) && !strings.HasSuffix(file, "makefile_test.go") {
			t.Errorf("%s: peers.Need has to be the first line of a test", file)
		}
		for _, m := range found {
			if withinAny(strings.TrimPrefix(file, "../"), peerPackages) == "" || !run.MatchString(m[1]) {
				t.Errorf("make test-peers does not run %s of %s", m[1], file)
			}
			checked++
		}
	}
	if checked == 0 {
		t.Error("no test needs a peer: this test looks for the wrong thing")
	}
}

func readMakefile(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// recipes returns the lines of each target's recipe.
func recipes(t *testing.T) map[string][]string {
	t.Helper()
	out, name := map[string][]string{}, ""
	for line := range strings.Lines(readMakefile(t)) {
		if m := target.FindStringSubmatch(line); m != nil && m[1] != ".PHONY" {
			name = m[1]
			out[name] = nil
		} else if strings.HasPrefix(line, "\t") && name != "" {
			out[name] = append(out[name], strings.TrimSpace(line))
		}
	}
	return out
}

func recipeOf(t *testing.T, name string) []string {
	t.Helper()
	recipe, ok := recipes(t)[name]
	if !ok {
		t.Fatalf("the Makefile has no target %s", name)
	}
	return recipe
}
