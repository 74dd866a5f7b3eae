package tui

import (
	"cmp"

	tea "charm.land/bubbletea/v2"

	"gati.dev/gati/pkg/status"
)

// asking is a request on its way: the server judges it, the user confirms it, and
// the controller handles it. Answers to an earlier one are told by its number.
type asking struct {
	Request
	id      int
	state   askingState
	preview Preview
}

type askingState int

const (
	notAsking askingState = iota
	// judging: the server has not said yet what it would make of it.
	judging
	// confirming: the user sees what it would change.
	confirming
	// handling: it is made, and the controller has not answered.
	handling
)

type (
	previewMsg struct {
		id      int
		preview Preview
	}
	outcomeMsg struct {
		id      int
		outcome Outcome
	}
)

// askRights asks what the user may do with the handler in focus, once.
func (m Model) askRights() tea.Cmd {
	h := m.handler()
	if h == nil || m.backend == nil {
		return nil
	}
	of, backend := targetOf(h), m.backend
	if _, known := m.rights[of]; known {
		return nil
	}
	return func() tea.Msg { return rightsMsg{of, backend.Rights(of)} }
}

// cannot says why a verb is grey, empty when it is not. What the controller would
// refuse is its affair: here is only what is plain to see.
func (m Model) cannot(h *status.Handler, v Verb) string {
	if m.backend == nil {
		return "this view only shows"
	}
	if why := m.rights[targetOf(h)][v]; why != "" {
		return why
	}
	return idle(h, v)
}

// idle says why a verb would do nothing now.
func idle(h *status.Handler, v Verb) string {
	r := h.Rollout
	switch {
	case v == Restart:
		return ""
	case r == nil:
		return "the controller has not decided anything yet"
	case v == Promote && h.Strategy == "Manual":
		return "under Manual the records share the traffic: kubectl gati version set-traffic"
	case (v == Promote || v == Abort) && r.Target == "" && !r.Waits:
		return "nothing is being rolled out"
	case v == Rollback && r.Target == "" && r.Previous == "":
		return "there is no version before; v has all there are"
	default:
		return ""
	}
}

// ask lets the server judge a request, or says why it cannot be made.
func (m Model) ask(r Request) (Model, tea.Cmd) {
	h := m.handler()
	if h == nil {
		return m, nil
	}
	why := m.cannot(h, r.Verb)
	if r.Argument != "" && m.backend != nil && r.Verb == Rollback {
		why = m.rights[r.Target][r.Verb] // a version that is named needs none before
	}
	if why != "" {
		m.note = string(r.Verb) + ": " + why
		return m, nil
	}
	m.note = ""
	m.asking = asking{Request: r, id: m.asking.id + 1, state: judging}
	id, backend := m.asking.id, m.backend
	return m, func() tea.Msg { return previewMsg{id, backend.Preview(r)} }
}

// answer takes a key while something is asked. A request that is made cannot be
// taken back by a key; the view can be used on.
func (m Model) answer(k string) (Model, tea.Cmd) {
	switch {
	case k == "y" && m.asking.state == confirming:
		m.asking.state = handling
		id, backend, r := m.asking.id, m.backend, m.asking.Request
		return m, func() tea.Msg { return outcomeMsg{id, backend.Ask(r)} }
	case k == "n" || k == "esc" || k == "q":
		if m.asking.state != handling {
			m.note = "nothing is changed"
		}
		m.asking.state = notAsking
	}
	return m, nil
}

// answered takes what the server or the controller says.
func (m Model) answered(msg tea.Msg) Model {
	switch msg := msg.(type) {
	case previewMsg:
		if msg.id != m.asking.id || m.asking.state != judging {
			return m
		}
		m.asking.preview, m.asking.state = msg.preview, confirming
		if err := msg.preview.Err; err != nil {
			m.asking.state, m.note = notAsking, string(m.asking.Verb)+": "+err.Error()
		}
	case outcomeMsg:
		if msg.id != m.asking.id {
			return m
		}
		m.asking.state = notAsking
		m.note = string(m.asking.Verb) + ": " + msg.outcome.Text
		if err := msg.outcome.Err; err != nil {
			m.note = string(m.asking.Verb) + ": " + err.Error()
		}
	}
	return m
}

// panel are the lines about the request that is in the foreground.
func (m Model) panel() []string {
	a := m.asking
	title := string(a.Verb)
	if a.Argument != "" {
		title += " " + a.Argument
	}
	title += " " + a.Name
	switch a.state {
	case judging:
		return []string{bold.Render(title + "?"), faint.Render("asking the server what it makes of it …  esc no")}
	case handling:
		return []string{bold.Render(title), "asked for; waiting for the controller …"}
	case confirming:
		lines := []string{bold.Render(title + "?")}
		lines = append(lines, wrapped(cmp.Or(a.preview.Change, "the server takes it; what it changes cannot be told beforehand"), m.width, 2)...)
		if m.height >= 16 && a.preview.Undo != "" {
			lines = append(lines, wrapped("undo: "+a.preview.Undo, m.width, 2)...)
		}
		return append(lines, bold.Render("y")+" yes  "+bold.Render("n")+" no")
	default:
		return nil
	}
}
