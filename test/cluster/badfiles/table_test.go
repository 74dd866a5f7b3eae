package badfiles

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gati.dev/gati/test/support/terminal"
)

// TestTable holds that testdata/coverage.md is what the goldens say.
func TestTable(t *testing.T) {
	var rows strings.Builder
	files, count := loadFiles(t), map[string]int{}
	for _, f := range files {
		with := readAnswers(t, "testdata/"+f.name+".golden")
		alone := crdsAlone(with["v1"], readAnswers(t, "testdata/down/"+f.name+".golden")["v1"])
		count[alone]++
		fmt.Fprintf(&rows, "| %s | %s | %s | %s | %s |\n", f.name, f.comment, strings.Join(listVersions(f), ", "), faultPlaces(with), alone)
	}
	text := fmt.Sprintf("%s\n%d files. Of those in v1 the CRDs alone say the same of %d and something else of %d; of %d they find nothing.\n\n%s%s",
		"<!-- Written by go test ./test/cluster/badfiles -update. -->", len(files), count[same], count[other], count[nothing],
		"| file | what is wrong | versions | with gati-webhook | CEL alone |\n|---|---|---|---|---|\n", rows.String())
	terminal.Golden(t, "testdata/coverage.md", text)
}

const (
	same    = "the same"
	other   = "other words"
	nothing = "nothing: \"failed calling webhook\""
	none    = "–"
)

// crdsAlone compares what is said with and without gati-webhook.
func crdsAlone(with, without string) string {
	switch {
	case without == "":
		return none
	case with == without:
		return same
	case isUnheard(without):
		return nothing
	default:
		return other
	}
}

// faultPlaces are the fields at fault, or what kept the API server from looking.
func faultPlaces(answers map[string]string) string {
	var out []string
	for _, version := range []string{"v1", "v1alpha1"} {
		for _, said := range findFaults(answers[version]) {
			if said.field != "<nil>" {
				out = append(out, "`"+said.schema+"`")
			}
		}
		switch answer := answers[version]; {
		case strings.Contains(answer, "strict decoding error"):
			out = append(out, "unknown field")
		case strings.Contains(answer, "conversion webhook"):
			out = append(out, "refused by conversion")
		case strings.HasPrefix(answer, "error: "):
			out = append(out, "refused by kubectl")
		}
	}
	slices.Sort(out)
	return strings.Join(slices.Compact(out), ", ")
}

func listVersions(f file) []string {
	var out []string
	for _, d := range f.documents {
		out = append(out, d.version)
	}
	return out
}

// listGoldens returns the names of the goldens in a folder.
func listGoldens(t *testing.T, folder string) []string {
	t.Helper()
	paths, err := filepath.Glob(folder + "*.golden")
	if err != nil {
		t.Fatal(err)
	}
	for i, path := range paths {
		paths[i] = strings.TrimSuffix(filepath.Base(path), ".golden")
	}
	return paths
}
