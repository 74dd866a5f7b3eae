package tui

import (
	"fmt"

	"gati.dev/gati/pkg/status"
)

// headLines are always in sight: what it is, how it is, why, and what is next.
func (m Model) headLines() []string {
	item := m.item()
	if item == nil {
		lines := wrapped("nothing of that name can be read any more", m.width, 2)
		return append(append([]string{bold.Render("gone")}, lines...), "")
	}
	sign, style := look(item.Health)
	limit := 2
	if m.height < 16 {
		limit = 1 // the rest of the screen is needed more
	}
	lines := []string{spread(bold.Render(item.Name)+faint.Render("  "+item.Namespace), style.Render(sign+" "+string(item.Health)), m.width)}
	for _, line := range wrapped(item.Reason, m.width, limit) {
		lines = append(lines, style.Render(line))
	}
	if item.Next != "" {
		lines = append(lines, wrapped("→ "+item.Next, m.width, limit)...)
	}
	return append(lines, "")
}

// footLine tells how to go on, what is missing, and of when the view is.
func (m Model) footLine() string {
	left := "? help  q leave"
	if !m.body.AtTop() || !m.body.AtBottom() {
		left = "↑↓ scroll  " + left
	}
	right := m.snap.Time.UTC().Format("15:04:05") + " UTC"
	if n := len(m.snap.Unread); n > 0 {
		right = bad.Render(missing(m.snap.Unread)) + "  " + right
	}
	return spread(faint.Render(left), right, m.width)
}

func missing(unread []status.Unread) string {
	text := fmt.Sprintf("%s: %s", unread[0].Resource, unread[0].Reason)
	if len(unread) > 1 {
		text += fmt.Sprintf(" +%d", len(unread)-1)
	}
	return text
}
