package readme

import (
	"regexp"
	"slices"
	"strings"
)

// What differs from run to run.
var (
	lasting = regexp.MustCompile(`\b(\d+(\.\d+)?(ms|s|m|h|d))+\b`)
	oclock  = regexp.MustCompile(`\d\d:\d\d:\d\d`)
	podName = regexp.MustCompile(`\b((?:handler|module)-[a-z0-9-]+-[0-9a-z]{7,10})-[a-z0-9]{5}\b`)
	gaps    = regexp.MustCompile(` {2,}`)
	blanks  = regexp.MustCompile(`\n{3,}`)
)

// steadyText writes the same for what only looks different: times, random names, and what
// follows from their lengths.
func steadyText(text string) string {
	text = oclock.ReplaceAllString(text, "<time>")
	text = podName.ReplaceAllString(text, "$1-<random>")
	text = lasting.ReplaceAllString(text, "<long>")
	var out strings.Builder
	for line := range strings.Lines(text) {
		out.WriteString(gaps.ReplaceAllString(strings.TrimSpace(line), "  ") + "\n")
	}
	return blanks.ReplaceAllString(strings.Trim(out.String(), "\n")+"\n", "\n\n")
}

// frameScreen is a screen as the README shows it: without the lines that nothing stands on,
// but for one where there are several.
func frameScreen(screen string) string {
	return blanks.ReplaceAllString(strings.TrimRight(screen, "\n ")+"\n", "\n\n")
}

// areAlike reports whether two texts are the same but for what only looks different. Where both
// have a line cut off, it may be so at different places: times before it have moved it.
func areAlike(want, got string) bool {
	return slices.EqualFunc(steadyLines(want), steadyLines(got), func(a, b string) bool {
		if a == b {
			return true
		}
		a, cutA := strings.CutSuffix(a, "…")
		b, cutB := strings.CutSuffix(b, "…")
		return cutA && cutB && (strings.HasPrefix(a, b) || strings.HasPrefix(b, a))
	})
}

func steadyLines(text string) []string { return strings.Split(steadyText(text), "\n") }
