package tui

import (
	tea "charm.land/bubbletea/v2"

	"gati.dev/gati/pkg/printable"
	"gati.dev/gati/pkg/status"
)

// asking is a pending request: the server validates it, the user confirms it, and the
// controller handles it. Its number identifies late answers.
type asking struct {
	Request
	id      int
	state   askingState
	preview Preview
}

type askingState int

const (
	notAsking askingState = iota
	// validating: the server has not answered the dry run.
	validating
	// confirming: the user sees the effect.
	confirming
	// handling: it was made, and the controller has not answered.
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

// askRights asks for the rights on the handler in focus, once.
func (m Model) askRights() tea.Cmd {
	h := m.focusedHandler()
	if h == nil || m.backend == nil {
		return nil
	}
	of, backend := targetFor(h), m.backend
	if _, known := m.rights[of]; known {
		return nil
	}
	return func() tea.Msg { return rightsMsg{of, printable.Copy(backend.Rights(of))} }
}

// refusalFor returns why a request would be refused, empty if it would not.
func (m Model) refusalFor(h *status.Handler, r Request) string {
	if m.backend == nil {
		return "this view is read-only"
	}
	if why := m.rights[r.Target][r.Verb]; why != "" {
		return why
	}
	return printable.Line(h.Effect(string(r.Verb), r.Argument).Refused)
}

// startRequest has the server validate a request, or notes why it is refused.
func (m Model) startRequest(r Request) (Model, tea.Cmd) {
	h := m.focusedHandler()
	if h == nil {
		return m, nil
	}
	if why := m.refusalFor(h, r); why != "" {
		m.note = string(r.Verb) + ": " + why
		return m, nil
	}
	if r.Argument == "" {
		r.Argument = h.Effect(string(r.Verb), "").Version // The prompt and the request name the same one.
	}
	m.note = ""
	m.asking = asking{Request: r, id: m.asking.id + 1, state: validating}
	id, backend := m.asking.id, m.backend
	return m, func() tea.Msg { return previewMsg{id, backend.Preview(r)} }
}

// pressPrompt handles a key at a prompt. A request that was made cannot be cancelled;
// the prompt can be closed.
func (m Model) pressPrompt(k string) (Model, tea.Cmd) {
	switch {
	case k == "y" && m.asking.state == confirming:
		m.asking.state = handling
		id, backend, r := m.asking.id, m.backend, m.asking.Request
		return m, func() tea.Msg { return outcomeMsg{id, backend.Ask(r)} }
	case k == "n" || k == "esc" || k == "q":
		if m.asking.state != handling {
			m.note = "cancelled; nothing changed"
		}
		m.asking.state = notAsking
	}
	return m, nil
}

// withAnswer takes an answer of the server or the controller.
func (m Model) withAnswer(msg tea.Msg) Model {
	switch msg := msg.(type) {
	case previewMsg:
		if msg.id != m.asking.id || m.asking.state != validating {
			return m
		}
		m.asking.preview = Preview{Change: printable.Line(msg.preview.Change), Undo: printable.Line(msg.preview.Undo)}
		m.asking.state = confirming
		if err := msg.preview.Err; err != nil {
			m.asking.state, m.note = notAsking, string(m.asking.Verb)+": "+printable.Line(err.Error())
		}
	case outcomeMsg:
		if msg.id != m.asking.id {
			return m
		}
		m.asking.state = notAsking
		text := msg.outcome.Text
		if err := msg.outcome.Err; err != nil {
			text = err.Error()
		}
		m.note = string(m.asking.Verb) + ": " + printable.Line(text)
	}
	return m
}

// promptLines are the lines of the pending request.
func (m Model) promptLines() []string {
	a := m.asking
	title := string(a.Verb)
	if a.Argument != "" {
		title += " " + a.Argument
	}
	title += " " + a.Name
	switch a.state {
	case validating:
		return []string{bold.Render(title + "?"), faint.Render("validating on the server …  esc cancel")}
	case handling:
		return []string{bold.Render(title), "requested; waiting for the controller …"}
	case confirming:
		lines := []string{bold.Render(title + "?")}
		lines = append(lines, wrapText(a.preview.Change, m.width, 2)...)
		if m.height >= 16 && a.preview.Undo != "" {
			lines = append(lines, wrapText("undo: "+a.preview.Undo, m.width, 2)...)
		}
		return append(lines, bold.Render("y")+" yes  "+bold.Render("n")+" no")
	default:
		return nil
	}
}
