package plugin

import (
	"regexp"
	"slices"
	"strings"
)

// What differs from run to run, and what is written in its place.
var (
	moment  = regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`)
	uid     = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)
	written = regexp.MustCompile(`(?m)^(\s*Resource Version: +)\d+$`)
	// podName ends in five characters that the ReplicaSet controller chooses.
	podName = regexp.MustCompile(`\b((?:handler|module)-[a-z0-9-]+-[0-9a-f]{7,10})-[a-z0-9]{5}\b`)
	header  = regexp.MustCompile(`\S+( \S+)*`)
	age     = regexp.MustCompile(`^(\d+[smhd])+$|^\d+[smhd].*ago\)$|^<unknown>$`)
	events  = regexp.MustCompile(`(?s)(\nEvents:\n)(.*)$`)
	seen    = regexp.MustCompile(`\b\d+[smhd](\d+[smhd])?( \(x\d+ over \d+[smhd](\d+[smhd])?\))?`)
)

// steadyView writes the same for what only looks different.
func steadyView(out string) string {
	out = moment.ReplaceAllString(out, "<time>")
	out = uid.ReplaceAllString(out, "<uid>")
	out = written.ReplaceAllString(out, "${1}<number>")
	out = podName.ReplaceAllString(out, "$1-<random>")
	if m := events.FindStringSubmatchIndex(out); m != nil {
		return out[:m[4]] + steadyEvents(out[m[4]:])
	}
	if !strings.HasPrefix(out, "NAME") {
		return out
	}
	var tables []string
	for table := range strings.SplitSeq(out, "\n\n") {
		tables = append(tables, realignTable(table))
	}
	return strings.Join(tables, "\n\n") + "\n"
}

// steadyEvents are the events without when and how often, each once, sorted: two
// that happen in one second have no order.
func steadyEvents(table string) string {
	var lines []string
	for _, line := range strings.Split(strings.TrimSpace(table), "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), "Type") || strings.HasPrefix(strings.TrimSpace(line), "----") {
			continue
		}
		words := regexp.MustCompile(` {2,}`).Split(strings.TrimSpace(seen.ReplaceAllString(line, "<age>")), -1)
		lines = append(lines, "  "+strings.Join(words, "  "))
	}
	slices.Sort(lines)
	return strings.Join(slices.Compact(lines), "\n") + "\n"
}

// realignTable writes a table again without ages, whose length moves the columns.
func realignTable(table string) string {
	lines := strings.Split(strings.Trim(table, "\n"), "\n")
	starts := header.FindAllStringIndex(lines[0], -1)
	rows := make([][]string, len(lines))
	widths := make([]int, len(starts))
	for i, line := range lines {
		for c, start := range starts {
			end := len(line)
			if c+1 < len(starts) {
				end = min(end, starts[c+1][0])
			}
			cell := strings.TrimSpace(line[min(start[0], end):end])
			if age.MatchString(cell) {
				cell = "<age>"
			}
			rows[i] = append(rows[i], cell)
			widths[c] = max(widths[c], len(cell))
		}
	}
	var out strings.Builder
	for _, row := range rows {
		var text string
		for c, cell := range row {
			text += cell + strings.Repeat(" ", widths[c]-len(cell)+3)
		}
		out.WriteString(strings.TrimRight(text, " ") + "\n")
	}
	return strings.TrimSuffix(out.String(), "\n")
}
