package tui

import (
	"slices"
	"strings"

	"charm.land/lipgloss/v2"

	"gati.dev/gati/pkg/status"
)

// footLines are at the bottom of every page: what is asked, what came of it, what
// can be done, and of when the view is.
func (m Model) footLines() []string {
	var lines []string
	if text := m.connection(); text != "" {
		for _, line := range wrapped("✖ "+text, m.width, m.few()) {
			lines = append(lines, bad.Render(line))
		}
	}
	if m.note != "" {
		lines = append(lines, wrapped(m.note, m.width, m.few()+1)...)
	}
	switch h := m.handler(); {
	case m.asking.state != notAsking:
		lines = append(lines, m.panel()...)
	case h != nil && m.top().kind == itemPage && m.backend != nil:
		lines = append(lines, m.verbLines(h)...)
	}
	return append(lines, m.lastLine())
}

// verbLines are the keys that ask something. Those that cannot be asked are grey
// and have a cross in place of the key; the rights that are missing are named.
func (m Model) verbLines(h *status.Handler) []string {
	var words, letters, denied []string
	why := ""
	for _, a := range actions(h) {
		word, letter := bold.Render(a.shown)+" "+a.does, bold.Render(a.shown)
		if m.cannot(h, a.verb) != "" {
			word, letter = faint.Render("× "+a.does), faint.Render("×"+a.shown)
		}
		words, letters = append(words, word), append(letters, letter)
		if reason := m.rights[targetOf(h)][a.verb]; reason != "" && !slices.Contains(denied, string(a.verb)) {
			denied, why = append(denied, string(a.verb)), reason
		}
	}
	words = append(words, bold.Render(keyList.shown)+" versions")
	letters = append(letters, bold.Render(keyList.shown))
	line := strings.Join(words, "  ")
	if lipgloss.Width(line) > m.width {
		line = strings.Join(letters, " ")
	}
	if len(denied) == 0 {
		return []string{line}
	}
	return []string{busy.Render("× " + strings.Join(denied, ", ") + ": " + why), line}
}

// lastLine tells how to go on, what is missing, and of when the view is.
func (m Model) lastLine() string {
	words := []string{"? help"}
	switch m.top().kind {
	case listPage:
		words = append(words, "enter open", "/ filter")
	case versionsPage:
		words = append(words, "r roll back to it", "d compare", "esc back")
	case itemPage:
		words = append(words, "/ filter")
	}
	if len(m.pages) > 1 && m.top().kind != versionsPage {
		words = append(words, "esc back")
	}
	words = append(words, "q leave")
	left := faint.Render(strings.Join(words, "  "))
	if text := m.filter.line(); text != "" {
		left = text
	}
	if m.scrolls() && m.width >= 60 {
		left = "↑↓ " + left
	}
	right := m.now.UTC().Format("15:04:05") + " UTC"
	if text := m.missing(); text != "" && m.lostAt.IsZero() {
		right = bad.Render(text) + "  " + right
	}
	return spread(left, right, m.width)
}

// scrolls tells that there is more than fits.
func (m Model) scrolls() bool { return !m.body.AtTop() || !m.body.AtBottom() }

// helpLines explain the keys, and why some of them do nothing.
func (m Model) helpLines() []string {
	var rows [][]string
	for _, b := range moves {
		rows = append(rows, []string{b.shown, b.does})
	}
	rows = append(rows, []string{"ctrl+c", "leave with exit code 130"})
	lines := append([]string{bold.Render("Keys")}, columns(rows)...)
	h := m.handler()
	if h == nil {
		return lines
	}
	rows = nil
	for _, a := range actions(h) {
		rows = append(rows, []string{a.shown, a.does + argumentOf(a), m.cannot(h, a.verb)})
	}
	lines = append(lines, section("Asked of "+short(&h.Item)+", and confirmed first", columns(rows))...)
	return append(lines, m.legend()...)
}

func argumentOf(a action) string {
	if a.argument == Full {
		return " promotion: skip the steps that are left"
	}
	return ""
}

// legend explains the signs.
func (m Model) legend() []string {
	rows := [][]string{
		{good.Render("●"), "a pod that serves", good.Render("█"), "traffic that the gateway, or the pods, have"},
		{busy.Render("◐"), "one that serves, and has restarted", busy.Render("▒"), "what is on its way"},
		{busy.Render("○"), "one that is not ready", faint.Render("×"), "a key that does nothing now"},
		{bad.Render("✖"), "one that cannot serve", "", ""},
	}
	return section("Signs", columns(rows))
}

// few is how many lines a sentence may have: on a small screen the rest is needed
// more.
func (m Model) few() int {
	if m.height < 16 {
		return 1
	}
	return 2
}
