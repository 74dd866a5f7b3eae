package tui

import (
	"cmp"
	"fmt"
	"time"

	"gati.dev/gati/pkg/status"
)

// taken takes a snapshot as what is known now. Where it lacks what could not be
// read, what was known before stays: it is older, not gone.
func (m Model) taken(s status.Snapshot) Model {
	why := unreadable(&s)
	if why != "" && len(s.Items()) < len(m.snap.Items()) {
		s.Handlers, s.Modules = m.snap.Handlers, m.snap.Modules
	}
	switch {
	case why == "" && !m.lostAt.IsZero():
		m.note = "connected again after " + span(s.Time.Sub(m.lostAt))
		m.lostAt = time.Time{}
	case why != "" && m.lostAt.IsZero():
		m.lostAt = s.Time.Time
	}
	m.snap, m.now = s, s.Time.Time
	m.trends = m.trends.with(&s)
	if len(m.snap.Items()) > 0 && m.focus == (itemKey{}) {
		m.focus = keyOf(m.ordered()[0])
	}
	return m
}

// unreadable says why handlers or modules cannot be read, empty when they can.
func unreadable(s *status.Snapshot) string {
	for _, u := range s.Unread {
		itself := u.Resource == status.ResourceHandlers || u.Resource == status.ResourceModules
		if itself && u.Reason != status.NotYet {
			return u.Reason
		}
	}
	return ""
}

// connection is the line about a connection that is lost, empty while there is one.
func (m Model) connection() string {
	if m.lostAt.IsZero() {
		return ""
	}
	return fmt.Sprintf("no connection for %s, trying again; this is how it was: %s", span(m.now.Sub(m.lostAt)), cmp.Or(unreadable(&m.snap), "nothing answers"))
}

// missing names what else could not be read.
func (m Model) missing() string {
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

// span writes a length of time to the second: a countdown moves.
func span(d time.Duration) string {
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
