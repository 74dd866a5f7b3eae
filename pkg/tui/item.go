package tui

import (
	"charm.land/lipgloss/v2"

	"gati.dev/gati/pkg/status"
)

// itemHead is always in sight: name, health, reason and next step.
func (m Model) itemHead() []string {
	item := m.focusedItem()
	if item == nil {
		lines := wrapText("no object of that name can be read any more", m.width, 2)
		return append(append([]string{bold.Render("gone")}, lines...), "")
	}
	sign, style := styleFor(item.Health)
	lines := []string{alignEnds(bold.Render(item.Name)+faint.Render("  "+item.Namespace), style.Render(sign+" "+string(item.Health)), m.width)}
	for _, line := range wrapText(item.Reason, m.width, m.maxSentenceLines()) {
		lines = append(lines, style.Render(line))
	}
	if item.Next != "" {
		lines = append(lines, wrapText("→ "+item.Next, m.width, m.maxSentenceLines())...)
	}
	return append(lines, "")
}

// itemLines are the sections of the item in focus.
func (m Model) itemLines() []string {
	if h := m.focusedHandler(); h != nil {
		lines := m.factLines(&h.Item, h.Path, h.Version, string(h.Strategy))
		lines = append(lines, m.rolloutLines(h)...)
		lines = append(lines, versionLines(h, m.width)...)
		lines = append(lines, m.measuredLines(h)...)
		lines = append(lines, m.drainLines(h)...)
		lines = append(lines, m.podLines(&h.Item, h)...)
		lines = append(lines, m.eventLines(h.Rollout)...)
		return append(lines, m.tailLines(&h.Item)...)
	}
	if mod := m.focusedModule(); mod != nil {
		lines := m.factLines(&mod.Item, string(mod.Type), mod.Runtime, "")
		lines = append(lines, m.podLines(&mod.Item, nil)...)
		return append(lines, m.tailLines(&mod.Item)...)
	}
	return nil
}

// factLines are about the spec.
func (m Model) factLines(item *status.Item, words ...string) []string {
	words = append(words, item.Image, status.Age(item.CreatedAt, m.now)+" old")
	return flowWords(nonEmpty(words), faint.Render(" · "), m.width)
}

func nonEmpty(words []string) []string {
	var out []string
	for _, w := range words {
		if w != "" {
			out = append(out, w)
		}
	}
	return out
}

// tailLines are the sections at the end.
func (m Model) tailLines(item *status.Item) []string {
	var rows [][]string
	for _, c := range item.Children {
		rows = append(rows, []string{c.Kind, c.Name, c.Message})
	}
	lines := renderSection("Children", alignColumns(m.filter.matchingRows(rows), m.width))
	rows = nil
	for _, c := range item.Conditions {
		rows = append(rows, []string{c.Type, string(c.Status), status.Age(c.Since, m.now), c.Reason, c.Message})
	}
	return append(lines, renderSection("Conditions", alignColumns(m.filter.matchingRows(rows), m.width))...)
}

func renderSection(title string, lines []string) []string {
	if len(lines) == 0 {
		return nil
	}
	return append([]string{"", bold.Render(title)}, lines...)
}

// flowWords puts words into lines, with a separator between those of one line.
func flowWords(words []string, separator string, width int) []string {
	var lines []string
	line := ""
	for _, word := range words {
		switch longer := line + separator + word; {
		case line == "":
			line = word
		case lipgloss.Width(longer) <= width:
			line = longer
		default:
			lines, line = append(lines, line), word
		}
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}
