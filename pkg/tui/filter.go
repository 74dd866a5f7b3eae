package tui

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// filter hides lines that do not contain a text; case is ignored.
type filter struct {
	text string
	// typing reports whether keys are letters of the text.
	typing bool
}

// withKey handles a key while the text is typed.
func (f filter) withKey(key, text string) filter {
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

// matches reports whether a line is shown.
func (f filter) matches(words ...string) bool {
	line := strings.ToLower(ansi.Strip(strings.Join(words, " ")))
	return f.text == "" || strings.Contains(line, strings.ToLower(f.text))
}

// matchingRows returns the rows that match.
func (f filter) matchingRows(all [][]string) [][]string {
	var out [][]string
	for _, row := range all {
		if f.matches(row...) {
			out = append(out, row)
		}
	}
	return out
}

// promptLine is its line in the foot.
func (f filter) promptLine() string {
	switch {
	case f.typing:
		return "/" + f.text + "▏  enter keep  esc all"
	case f.text != "":
		return "/" + f.text + "  esc all"
	default:
		return ""
	}
}
