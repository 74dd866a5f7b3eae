package tui

import (
	tea "charm.land/bubbletea/v2"
)

// press takes one key. What is in the foreground has it first.
func (m Model) press(msg tea.KeyPressMsg) (tea.Model, tea.Cmd) {
	k := msg.String()
	switch {
	case k == "ctrl+c":
		m.interrupted = true
		return m, tea.Quit
	case m.asking.state != notAsking:
		next, cmd := m.answer(k)
		return next.laidOut(), cmd
	case m.filter.typing:
		m.filter = m.filter.typed(k, msg.Text)
		return m.laidOut(), nil
	case keyQuit.is(k):
		return m, tea.Quit
	}
	m.note = ""
	next, cmd := m.onward(k)
	return next.laidOut(), cmd
}

// onward takes a key of the page that is shown.
func (m Model) onward(k string) (Model, tea.Cmd) {
	switch {
	case keyHelp.is(k):
		if m.top().kind == helpPage {
			return m.back(), nil
		}
		return m.opened(page{kind: helpPage}), nil
	case keyFilter.is(k) && (m.top().kind == listPage || m.top().kind == itemPage):
		m.filter.typing = true
		return m, nil
	case k == "esc" && m.filter.text != "":
		m.filter = filter{}
		return m, nil
	case keyBack.is(k):
		return m.back(), nil
	}
	switch m.top().kind {
	case listPage:
		return m.pressList(k)
	case versionsPage:
		return m.pressVersions(k)
	case itemPage:
		if next, cmd, taken := m.pressItem(k); taken {
			return next, cmd
		}
	}
	return m.scrolled(k), nil
}

// pressItem takes the keys that ask something, and that of the versions.
func (m Model) pressItem(k string) (Model, tea.Cmd, bool) {
	h := m.handler()
	if h == nil {
		return m, nil, false
	}
	if keyList.is(k) {
		return m.opened(page{kind: versionsPage, chosen: firstVersion(h)}), nil, true
	}
	for _, a := range actions(h) {
		if a.is(k) {
			next, cmd := m.ask(Request{targetOf(h), a.verb, a.argument})
			return next, cmd, true
		}
	}
	return m, nil, false
}

// scrolled moves the part that scrolls.
func (m Model) scrolled(k string) Model {
	switch {
	case keyUp.is(k):
		m.body.ScrollUp(1)
	case keyDown.is(k):
		m.body.ScrollDown(1)
	case keyPageUp.is(k):
		m.body.PageUp()
	case keyPageDn.is(k):
		m.body.PageDown()
	case keyTop.is(k):
		m.body.GotoTop()
	case keyEnd.is(k):
		m.body.GotoBottom()
	}
	return m
}

// moved is where a cursor goes among n lines.
func moved(k string, at, n int) int {
	switch {
	case keyUp.is(k):
		at--
	case keyDown.is(k):
		at++
	case keyPageUp.is(k):
		at -= 10
	case keyPageDn.is(k):
		at += 10
	case keyTop.is(k):
		at = 0
	case keyEnd.is(k):
		at = n - 1
	}
	return max(0, min(at, n-1))
}
