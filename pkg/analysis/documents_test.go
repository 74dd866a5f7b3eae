package analysis_test

import (
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"gati.dev/gati/pkg/analysis"
)

// readDocument returns the page about the analysis.
func readDocument(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/analysis.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestTheTableOfNeededRequests holds that the document has what the code computes.
func TestTheTableOfNeededRequests(t *testing.T) {
	text := readDocument(t)
	for _, least := range []float64{90, 95, 98, 99, 99.5, 99.9, 99.99} {
		row := "| " + strconv.FormatFloat(least, 'f', -1, 64)
		for _, detect := range []float64{2, 5, 10, 20} {
			p0 := 1 - least/100
			need, _ := analysis.Question{Allowed: &p0, Alpha: alpha, Detect: detect}.Needed()
			row += " | " + withCommas(need.Requests)
		}
		if row += " |\n"; !strings.Contains(text, row) {
			t.Errorf("docs/analysis.md has not the row\n%s", row)
		}
	}
}

func withCommas(n int64) string {
	if n < 1000 {
		return strconv.FormatInt(n, 10)
	}
	return fmt.Sprintf("%s,%03d", withCommas(n/1000), n%1000)
}

// checkComparison holds that the row of the document is that of the simulation, within some
// percent.
func checkComparison(t *testing.T, text, name string, want [4]float64, within float64) {
	t.Helper()
	row := fmt.Sprintf("| %s | %.1f | %.1f | %.1f | %.1f |", name, want[0], want[1], want[2], want[3])
	_, after, found := strings.Cut(text, "| "+name+" | ")
	line, _, _ := strings.Cut(after, "\n")
	cells := strings.Split(strings.TrimSuffix(line, " |"), " | ")
	if !found || len(cells) != len(want) {
		t.Errorf("docs/analysis.md has not the row\n%s", row)
		return
	}
	for i, cell := range cells {
		got, err := strconv.ParseFloat(cell, 64)
		if err != nil || math.Abs(got-want[i]) > within {
			t.Errorf("docs/analysis.md has %s, the simulation\n%s", line, row)
			return
		}
	}
}
