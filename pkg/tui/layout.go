package tui

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
)

// withLayout fills the scrolling part between the fixed lines. The offset stays, so
// that a snapshot does not move the text; a cursor is kept in sight.
func (m Model) withLayout() Model {
	lines, cursor := m.bodyLines()
	for i := range lines {
		lines[i] = ansi.Truncate(lines[i], m.width, "…")
	}
	m.body.SetWidth(m.width)
	m.body.SetHeight(max(1, m.height-len(m.headLines())-len(m.footLines())))
	m.body.SetContentLines(lines)
	m.body.SetYOffset(m.body.YOffset()) // the content may be shorter now
	if cursor >= 0 {
		m.body.EnsureVisible(cursor, 0, 0)
		if cursor <= 1 {
			m.body.GotoTop() // the title above the first line
		}
	}
	return m
}

// bodyLines returns the lines of the scrolling part and the index of the cursor, -1
// without one.
func (m Model) bodyLines() ([]string, int) {
	switch m.topPage().kind {
	case listPage:
		return m.listLines()
	case versionsPage:
		return m.choiceLines()
	case comparedPage:
		return m.comparedLines(), -1
	case helpPage:
		return m.helpLines(), -1
	default:
		return m.itemLines(), -1
	}
}

// headLines are at the top of every page.
func (m Model) headLines() []string {
	switch m.topPage().kind {
	case listPage:
		return m.listHead()
	case comparedPage:
		return append(m.itemHead()[:1], bold.Render(m.topPage().chosen), "")
	case helpPage:
		if m.pages[0].kind == listPage && len(m.pages) == 2 {
			return m.listHead()
		}
	}
	return m.itemHead()
}

// renderScreen puts the fixed lines at the top and bottom and the rest between them. If the
// screen is too small for those, the first and the last of them stay.
func (m Model) renderScreen() string {
	head, foot := m.headLines(), m.footLines()
	if room := m.height - len(foot); len(head) > room {
		head = head[:max(0, min(len(head), room))]
	}
	lines := append([]string{}, head...)
	if room := m.height - len(head) - len(foot); room > 0 {
		lines = append(lines, strings.Split(m.body.View(), "\n")[:room]...)
	}
	lines = append(lines, foot[max(0, len(foot)-m.height):]...)
	for i := range lines {
		lines[i] = ansi.Truncate(lines[i], m.width, "…")
	}
	text := strings.Join(lines, "\n")
	if m.ascii {
		return toASCII(text)
	}
	return text
}

// View draws the model.
func (m Model) View() tea.View {
	m.drawn.Add(1)
	v := tea.NewView(m.renderScreen())
	v.AltScreen = true
	v.WindowTitle = "kubectl gati"
	if item := m.focusedItem(); item != nil && m.pages[0].kind == itemPage {
		v.WindowTitle = item.Name + ": " + string(item.Health)
	}
	return v
}

// alignEnds puts one text at the left edge and one at the right.
func alignEnds(left, right string, width int) string {
	room := width - lipgloss.Width(left) - lipgloss.Width(right)
	if room < 1 {
		return ansi.Truncate(left+" "+right, width, "…")
	}
	return left + strings.Repeat(" ", room) + right
}

// wrapText breaks text at spaces into at most limit lines; an ellipsis ends a cut one.
// It does not break at hyphens, which names contain.
func wrapText(text string, width, limit int) []string {
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

// minColumn is the width at which a column is no longer narrowed: names are longer, states are not.
const minColumn = 20

// readableColumn is what a last column needs; more of it is cut off at the edge.
const readableColumn = 24

// alignColumns aligns the cells of rows, with two spaces between them. Where the width has no
// room for all columns, the widest are cut.
func alignColumns(rows [][]string, width int) []string {
	var widths []int
	for _, row := range rows {
		for i, cell := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], lipgloss.Width(cell))
		}
	}
	room := width - 2 // the cursor
	if last := len(widths) - 1; last >= 0 {
		room -= min(widths[last], readableColumn) + 2*last
		fitColumns(widths[:last], room)
	}
	lines := make([]string, len(rows))
	for n, row := range rows {
		for i, cell := range row {
			if widths[i] == 0 {
				continue // the column is empty
			}
			if i < len(row)-1 {
				cell = ansi.Truncate(cell, widths[i], "…")
			}
			lines[n] += cell
			if i < len(row)-1 {
				lines[n] += strings.Repeat(" ", widths[i]-lipgloss.Width(cell)+2)
			}
		}
		lines[n] = "  " + strings.TrimRight(lines[n], " ")
	}
	return lines
}

// fitColumns narrows the widest column, one cell after another, until all have room: one long
// name costs itself an ellipsis, and the others nothing.
func fitColumns(widths []int, room int) {
	sum := 0
	for _, w := range widths {
		sum += w
	}
	for ; sum > room && len(widths) > 0; sum-- {
		widest := slices.Index(widths, slices.Max(widths))
		if widths[widest] <= minColumn {
			return
		}
		widths[widest]--
	}
}
