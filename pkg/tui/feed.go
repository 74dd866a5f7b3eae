package tui

import (
	"cmp"
	"fmt"
	"time"

	"gati.dev/gati/pkg/printable"
	"gati.dev/gati/pkg/status"
)

// withSnapshot replaces the snapshot. Lists that could not be read keep their earlier
// content. Texts of the cluster enter here and with the Backend's answers, and are made
// printable there.
func (m Model) withSnapshot(s status.Snapshot) Model {
	s = printable.Copy(s)
	why, since := unreadableReason(&s)
	if why != "" && len(s.Items()) < len(m.snap.Items()) {
		s.Handlers, s.Modules = m.snap.Handlers, m.snap.Modules
	}
	switch {
	case why == "" && !m.lostAt.IsZero():
		m.note = "reconnected after " + formatSpan(s.Time.Sub(m.lostAt))
		m.lostAt = time.Time{}
	case why != "" && m.lostAt.IsZero():
		m.lostAt = since
		if since.IsZero() {
			m.lostAt = s.Time.Time
		}
	}
	m = m.withTime(s.Time.Time)
	m.snap = s
	m.trends = m.trends.withSnapshot(&s)
	if len(m.snap.Items()) > 0 && m.focus == (itemKey{}) {
		m.focus = keyOf(m.orderedItems()[0])
	}
	return m
}

// withTime sets the clock of the view. A snapshot is some moments old when it comes: the
// clock does not go back.
func (m Model) withTime(now time.Time) Model {
	if now.After(m.now) {
		m.now = now
	}
	return m
}

// unreadableReason returns why handlers or modules cannot be read and since when, empty if
// they can.
func unreadableReason(s *status.Snapshot) (why string, since time.Time) {
	for _, u := range s.Unread {
		itself := u.Resource == status.ResourceHandlers || u.Resource == status.ResourceModules
		if itself && u.Reason != status.NotYet {
			return u.Reason, u.Since
		}
	}
	return "", time.Time{}
}

func isReadable(s *status.Snapshot) bool {
	why, _ := unreadableReason(s)
	return why == ""
}

// connectionLine is the line about a lost connection, empty while connected.
func (m Model) connectionLine() string {
	if m.lostAt.IsZero() {
		return ""
	}
	why, _ := unreadableReason(&m.snap)
	return fmt.Sprintf("no connection for %s, retrying; showing the last state: %s", formatSpan(m.now.Sub(m.lostAt)), cmp.Or(why, "no answer"))
}

// missingText names the other lists that could not be read.
func (m Model) missingText() string {
	var first string
	more := 0
	for _, u := range m.snap.Unread {
		switch {
		case u.Reason == status.NotYet:
			continue
		case first == "":
			first = u.Resource + ": " + u.Reason
		default:
			more++
		}
	}
	if more > 0 {
		return fmt.Sprintf("%s +%d", first, more)
	}
	return first
}

// formatSpan writes a duration to the second, for countdowns.
func formatSpan(d time.Duration) string {
	d = max(0, d).Round(time.Second)
	h, m, s := int(d.Hours()), int(d.Minutes())%60, int(d.Seconds())%60
	switch {
	case h >= 24:
		return fmt.Sprintf("%dd%dh", h/24, h%24)
	case h > 0:
		return fmt.Sprintf("%dh%02dm", h, m)
	case m > 0:
		return fmt.Sprintf("%dm%02ds", m, s)
	default:
		return fmt.Sprintf("%ds", s)
	}
}
