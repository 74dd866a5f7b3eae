package tui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"gati.dev/gati/pkg/status"
)

// choices are the versions that the handler has admitted, the newest first, each
// once: what is chosen here is asked for by its name.
func choices(h *status.Handler) []*status.Version {
	var out []*status.Version
	seen := map[string]bool{}
	for i := range h.Versions {
		if v := &h.Versions[i]; v.Sequence > 0 && !seen[v.Version] {
			seen[v.Version] = true
			out = append(out, v)
		}
	}
	return out
}

func firstVersion(h *status.Handler) string {
	if all := choices(h); len(all) > 0 {
		return all[0].Version
	}
	return ""
}

// serving is the version that others are compared with.
func serving(h *status.Handler) string {
	if h.Rollout == nil {
		return ""
	}
	name, _, _ := strings.Cut(h.Rollout.Stable, " ")
	return name
}

// pressVersions takes a key of the page of versions.
func (m Model) pressVersions(k string) (Model, tea.Cmd) {
	h := m.handler()
	if h == nil {
		return m, nil
	}
	all, p := choices(h), m.top()
	at := 0
	for i, v := range all {
		if v.Version == p.chosen {
			at = i
		}
	}
	switch {
	case len(all) == 0:
		return m, nil
	case k == "r":
		if all[at].Version == serving(h) && h.Rollout.Target == "" {
			m.note = "rollback: " + all[at].Version + " serves already"
			return m, nil
		}
		return m.ask(Request{targetOf(h), Rollback, all[at].Version})
	case keyDiff.is(k) || keyOpen.is(k):
		return m.compare(h, all[at].Version)
	}
	p.chosen = all[moved(k, at, len(all))].Version
	return m.withTop(p), nil
}

// compare asks how a version differs from the one that serves.
func (m Model) compare(h *status.Handler, version string) (Model, tea.Cmd) {
	with := serving(h)
	switch {
	case m.backend == nil:
		m.note = "compare: this view only shows"
		return m, nil
	case with == "" || with == version:
		m.note = "compare: " + version + " is the one that serves; choose another"
		return m, nil
	}
	m = m.opened(page{kind: comparedPage, chosen: with + " → " + version})
	of, backend := targetOf(h), m.backend
	return m, func() tea.Msg {
		text, err := backend.Compare(of, with, version)
		return comparedMsg{text, err}
	}
}

// compared shows what came of it, if somebody still waits for it.
func (m Model) compared(msg comparedMsg) Model {
	if p := m.top(); p.kind == comparedPage {
		p.text = msg.text
		if msg.err != nil {
			p.text = msg.err.Error()
		}
		return m.withTop(p)
	}
	return m
}

// choiceLines are the lines of the page of versions and which has the cursor.
func (m Model) choiceLines() (lines []string, cursor int) {
	h := m.handler()
	if h == nil {
		return nil, 0
	}
	all := choices(h)
	if len(all) == 0 {
		return []string{faint.Render("no version has been admitted yet")}, 0
	}
	rows := make([][]string, len(all))
	for i, v := range all {
		rows[i] = []string{titled(v), fmt.Sprintf("%d%%", v.Weight), fmt.Sprintf("%d/%d", v.Ready, v.Desired), strings.Join(versionNotes(v), ", ")}
		if v.Version == m.top().chosen {
			cursor = i
		}
	}
	lines = columns(rows)
	lines[cursor] = "▸" + lines[cursor][1:]
	return lines, cursor
}

// comparedLines are what differs between two versions.
func (m Model) comparedLines() []string {
	p := m.top()
	if p.text == "" {
		return []string{faint.Render("comparing …")}
	}
	var lines []string
	for _, line := range strings.Split(strings.TrimRight(p.text, "\n"), "\n") {
		indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
		for _, part := range wrapped(line, max(10, m.width-len(indent)), 20) {
			lines = append(lines, indent+part)
		}
	}
	return lines
}
