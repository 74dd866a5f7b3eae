package tui

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// filter shows only what contains a text, in any case of letters.
type filter struct {
	text string
	// typing tells that keys are letters of the text.
	typing bool
}

// typed takes a key while the text is typed.
func (f filter) typed(key, text string) filter {
	switch key {
	case "enter":
		f.typing = false
	case "esc":
		return filter{}
	case "backspace":
		if r := []rune(f.text); len(r) > 0 {
			f.text = string(r[:len(r)-1])
		}
	default:
		f.text += text
	}
	return f
}

// passes tells whether a line is shown.
func (f filter) passes(words ...string) bool {
	line := strings.ToLower(ansi.Strip(strings.Join(words, " ")))
	return f.text == "" || strings.Contains(line, strings.ToLower(f.text))
}

// rows leaves out the rows that do not pass.
func (f filter) rows(all [][]string) [][]string {
	var out [][]string
	for _, row := range all {
		if f.passes(row...) {
			out = append(out, row)
		}
	}
	return out
}

// line is what the foot says of it.
func (f filter) line() string {
	switch {
	case f.typing:
		return "/" + f.text + "▏  enter keep  esc all"
	case f.text != "":
		return "/" + f.text + "  esc all"
	default:
		return ""
	}
}
