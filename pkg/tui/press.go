package tui

import (
	tea "charm.land/bubbletea/v2"
)

// pressKey handles one key. A prompt has it first.
func (m Model) pressKey(msg tea.KeyPressMsg) (tea.Model, tea.Cmd) {
	k := msg.String()
	switch {
	case k == "ctrl+c":
		m.interrupted = true
		return m, tea.Quit
	case m.asking.state != notAsking:
		next, cmd := m.pressPrompt(k)
		return next.withLayout(), cmd
	case m.filter.typing:
		m.filter = m.filter.withKey(k, msg.Text)
		return m.withLayout(), nil
	case keyQuit.isKey(k):
		return m, tea.Quit
	}
	m.note = ""
	next, cmd := m.pressPage(k)
	return next.withLayout(), cmd
}

// pressPage handles a key of the shown page.
func (m Model) pressPage(k string) (Model, tea.Cmd) {
	switch {
	case keyHelp.isKey(k):
		if m.topPage().kind == helpPage {
			return m.withoutPage(), nil
		}
		return m.withPage(page{kind: helpPage}), nil
	case keyFilter.isKey(k) && (m.topPage().kind == listPage || m.topPage().kind == itemPage):
		m.filter.typing = true
		return m, nil
	case k == "esc" && m.filter.text != "":
		m.filter = filter{}
		return m, nil
	case keyBack.isKey(k):
		return m.withoutPage(), nil
	}
	switch m.topPage().kind {
	case listPage:
		return m.pressList(k)
	case versionsPage:
		return m.pressVersions(k)
	case itemPage:
		if next, cmd, taken := m.pressItem(k); taken {
			return next, cmd
		}
	}
	return m.withScroll(k), nil
}

// pressItem handles the keys that make requests, and that of the versions.
func (m Model) pressItem(k string) (Model, tea.Cmd, bool) {
	h := m.focusedHandler()
	if h == nil {
		return m, nil, false
	}
	if keyList.isKey(k) {
		return m.withPage(page{kind: versionsPage, chosen: firstVersion(h)}), nil, true
	}
	for _, a := range handlerActions(h) {
		if a.isKey(k) {
			next, cmd := m.startRequest(a.requestFor(h))
			return next, cmd, true
		}
	}
	return m, nil, false
}

// withScroll moves the scrolling part.
func (m Model) withScroll(k string) Model {
	switch {
	case keyUp.isKey(k):
		m.body.ScrollUp(1)
	case keyDown.isKey(k):
		m.body.ScrollDown(1)
	case keyPageUp.isKey(k):
		m.body.PageUp()
	case keyPageDn.isKey(k):
		m.body.PageDown()
	case keyTop.isKey(k):
		m.body.GotoTop()
	case keyEnd.isKey(k):
		m.body.GotoBottom()
	}
	return m
}

// moveCursor returns the new position of a cursor among n lines.
func moveCursor(k string, at, n int) int {
	switch {
	case keyUp.isKey(k):
		at--
	case keyDown.isKey(k):
		at++
	case keyPageUp.isKey(k):
		at -= 10
	case keyPageDn.isKey(k):
		at += 10
	case keyTop.isKey(k):
		at = 0
	case keyEnd.isKey(k):
		at = n - 1
	}
	return max(0, min(at, n-1))
}
