package tui

import (
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
)

// laidOut fills the part that scrolls and gives it what the fixed lines leave.
// The offset stays where it was, so that a snapshot does not move what is read.
func (m Model) laidOut() Model {
	m.body.SetWidth(m.width)
	m.body.SetHeight(max(1, m.height-len(m.headLines())-1))
	lines := m.bodyLines()
	for i := range lines {
		lines[i] = ansi.Truncate(lines[i], m.width, "…")
	}
	m.body.SetContentLines(lines)
	m.body.SetYOffset(m.body.YOffset()) // the content may have become shorter
	return m
}

// render puts the fixed lines at the top, the state of the view at the bottom
// and the rest between them.
func (m Model) render() string {
	parts := append(m.headLines(), m.body.View(), m.footLine())
	return strings.Join(parts, "\n")
}

// spread puts one text at the left edge and one at the right.
func spread(left, right string, width int) string {
	room := width - lipgloss.Width(left) - lipgloss.Width(right)
	if room < 1 {
		return ansi.Truncate(left+" "+right, width, "…")
	}
	return left + strings.Repeat(" ", room) + right
}

// wrapped breaks text between words into at most limit lines; the last tells
// that there was more. It breaks at spaces only: names have hyphens.
func wrapped(text string, width, limit int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		switch longer := strings.TrimLeft(line+" "+word, " "); {
		case line == "" || lipgloss.Width(longer) <= width:
			line = longer
		case len(lines) == limit-1:
			return append(lines, ansi.Truncate(longer+" …", width, "…"))
		default:
			lines, line = append(lines, ansi.Truncate(line, width, "…")), word
		}
	}
	return append(lines, ansi.Truncate(line, width, "…"))
}

// columns aligns the cells of some rows, with two spaces between them.
func columns(rows [][]string) []string {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], lipgloss.Width(cell))
		}
	}
	lines := make([]string, len(rows))
	for n, row := range rows {
		for i, cell := range row {
			lines[n] += cell
			if i < len(row)-1 {
				lines[n] += strings.Repeat(" ", widths[i]-lipgloss.Width(cell)+2)
			}
		}
		lines[n] = "  " + strings.TrimRight(lines[n], " ")
	}
	return lines
}
