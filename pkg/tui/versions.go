package tui

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"gati.dev/gati/pkg/printable"
	"gati.dev/gati/pkg/status"
)

// admittedVersions returns the admitted versions, newest first, each once: requests
// name a version, not its template.
func admittedVersions(h *status.Handler) []*status.Version {
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
	if all := admittedVersions(h); len(all) > 0 {
		return all[0].Version
	}
	return ""
}

// stableVersion is the version that others are compared with.
func stableVersion(h *status.Handler) string {
	if h.Rollout == nil || h.Rollout.Units.Stable == nil {
		return ""
	}
	return h.Rollout.Units.Stable.Version
}

// pressVersions handles a key of the page of versions.
func (m Model) pressVersions(k string) (Model, tea.Cmd) {
	h := m.focusedHandler()
	if h == nil {
		return m, nil
	}
	all, p := admittedVersions(h), m.topPage()
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
		return m.startRequest(Request{targetFor(h), Rollback, all[at].Version})
	case keyMove.isKey(k):
		return m.startRequest(Request{targetFor(h), Contract, all[at].Version})
	case keyDiff.isKey(k) || keyOpen.isKey(k):
		return m.startComparison(h, all[at].Version)
	}
	p.chosen = all[moveCursor(k, at, len(all))].Version
	return m.withTop(p), nil
}

// startComparison compares a version with the stable one.
func (m Model) startComparison(h *status.Handler, version string) (Model, tea.Cmd) {
	with := stableVersion(h)
	switch {
	case m.backend == nil:
		m.note = "compare: this view is read-only"
		return m, nil
	case with == "" || with == version:
		m.note = "compare: " + version + " is the stable version; choose another"
		return m, nil
	}
	m = m.withPage(page{kind: comparedPage, chosen: with + " → " + version})
	of, backend := targetFor(h), m.backend
	return m, func() tea.Msg {
		text, err := backend.Compare(of, with, version)
		return comparedMsg{text, err}
	}
}

// withComparison shows the result if its page is still open.
func (m Model) withComparison(msg comparedMsg) Model {
	if p := m.topPage(); p.kind == comparedPage {
		p.text = printable.Text(msg.text)
		if msg.err != nil {
			p.text = printable.Text(msg.err.Error())
		}
		return m.withTop(p)
	}
	return m
}

// choiceLines returns the lines of the page of versions and the index of the cursor.
func (m Model) choiceLines() (lines []string, cursor int) {
	h := m.focusedHandler()
	if h == nil {
		return nil, 0
	}
	all := admittedVersions(h)
	if len(all) == 0 {
		return []string{faint.Render("no version admitted yet")}, 0
	}
	rows := make([][]string, len(all))
	for i, v := range all {
		share := v.Weight
		if real, byPods := h.ShareByPods(v); byPods {
			share = real
		}
		rows[i] = []string{titleFor(v), fmt.Sprintf("%d%%", share), fmt.Sprintf("%d/%d", v.Ready, v.Desired), strings.Join(versionNotes(h, v), ", ")}
		if v.Version == m.topPage().chosen {
			cursor = i
		}
	}
	lines = alignColumns(rows, m.width)
	lines[cursor] = "▸" + lines[cursor][1:]
	return lines, cursor
}

// comparedLines are the differences between two versions.
func (m Model) comparedLines() []string {
	p := m.topPage()
	if p.text == "" {
		return []string{faint.Render("comparing …")}
	}
	var lines []string
	for _, line := range strings.Split(strings.TrimRight(p.text, "\n"), "\n") {
		indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
		for _, part := range wrapText(line, max(10, m.width-len(indent)), 20) {
			lines = append(lines, indent+part)
		}
	}
	return lines
}
