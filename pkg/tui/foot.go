package tui

import (
	"slices"
	"strings"

	"charm.land/lipgloss/v2"

	"gati.dev/gati/pkg/status"
)

// footLines are at the bottom of every page: the prompt, the last outcome, the keys
// and the time.
func (m Model) footLines() []string {
	var lines []string
	if text := m.connectionLine(); text != "" {
		for _, line := range wrapText("✖ "+text, m.width, m.maxSentenceLines()) {
			lines = append(lines, bad.Render(line))
		}
	}
	if m.note != "" {
		lines = append(lines, wrapText(m.note, m.width, m.maxSentenceLines()+1)...)
	}
	switch h := m.focusedHandler(); {
	case m.asking.state != notAsking:
		lines = append(lines, m.promptLines()...)
	case h != nil && m.topPage().kind == itemPage && m.backend != nil:
		lines = append(lines, m.verbLines(h)...)
	}
	return append(lines, m.lastLine())
}

// verbLines are the keys that make requests. Refused ones are grey with a cross in
// place of the key; missing rights are named.
func (m Model) verbLines(h *status.Handler) []string {
	var words, letters, denied []string
	why := ""
	for _, a := range handlerActions(h) {
		word, letter := bold.Render(a.shown)+" "+a.does, bold.Render(a.shown)
		if m.refusalFor(h, a.requestFor(h)) != "" {
			word, letter = faint.Render("× "+a.does), faint.Render("×"+a.shown)
		}
		words, letters = append(words, word), append(letters, letter)
		if reason := m.rights[targetFor(h)][a.verb]; reason != "" && !slices.Contains(denied, string(a.verb)) {
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

// lastLine has the other keys, unreadable lists and the time.
func (m Model) lastLine() string {
	words := []string{"? help"}
	switch m.topPage().kind {
	case listPage:
		words = append(words, "enter open", "/ filter")
	case versionsPage:
		words = append(words, "r roll back", "d compare", "esc back")
	case itemPage:
		words = append(words, "/ filter")
	}
	if len(m.pages) > 1 && m.topPage().kind != versionsPage {
		words = append(words, "esc back")
	}
	words = append(words, "q quit")
	left := faint.Render(strings.Join(words, "  "))
	if text := m.filter.promptLine(); text != "" {
		left = text
	}
	if m.isScrollable() && m.width >= 60 {
		left = "↑↓ " + left
	}
	right := m.now.UTC().Format("15:04:05") + " UTC"
	if text := m.missingText(); text != "" && m.lostAt.IsZero() {
		right = bad.Render(text) + "  " + right
	}
	return alignEnds(left, right, m.width)
}

// isScrollable reports whether there is more than fits.
func (m Model) isScrollable() bool { return !m.body.AtTop() || !m.body.AtBottom() }

// helpLines explain the keys, and why some are refused.
func (m Model) helpLines() []string {
	var rows [][]string
	for _, b := range moves {
		rows = append(rows, []string{b.shown, b.does})
	}
	rows = append(rows, []string{"ctrl+c", "quit with exit code 130"})
	lines := append([]string{bold.Render("Keys")}, alignColumns(rows, m.width)...)
	h := m.focusedHandler()
	if h == nil {
		return lines
	}
	rows = nil
	for _, a := range handlerActions(h) {
		rows = append(rows, []string{a.shown, a.does + describeArgument(a), m.refusalFor(h, a.requestFor(h))})
	}
	lines = append(lines, renderSection("Requests of "+shortName(&h.Item)+" (confirmed first)", alignColumns(rows, m.width))...)
	return append(lines, m.legendLines()...)
}

func describeArgument(a action) string {
	if a.argument == Full {
		return " promotion: skip the remaining steps"
	}
	return ""
}

// legendLines explain the signs.
func (m Model) legendLines() []string {
	rows := [][]string{
		{good.Render("●"), "a pod that serves", good.Render("█"), "accepted traffic"},
		{busy.Render("◐"), "one that serves after a restart", busy.Render("▒"), "wanted, not accepted yet"},
		{busy.Render("○"), "one that is not ready", faint.Render("×"), "a key whose request would be refused"},
		{bad.Render("✖"), "one that cannot serve", "", ""},
	}
	return renderSection("Signs", alignColumns(rows, m.width))
}

// maxSentenceLines is the maximum number of lines of a sentence; less on a small
// screen.
func (m Model) maxSentenceLines() int {
	if m.height < 16 {
		return 1
	}
	return 2
}
