package tui

import (
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"gati.dev/gati/pkg/status"
)

// The colours are green and orange of Okabe and Ito's palette and a red of Tol's, which
// differ for every kind of colour vision. A sign or word always has the same meaning.
var (
	goodColor = lipgloss.Color("#009E73")
	busyColor = lipgloss.Color("#E69F00")
	badColor  = lipgloss.Color("#CC3311")

	good  = lipgloss.NewStyle().Foreground(goodColor)
	busy  = lipgloss.NewStyle().Foreground(busyColor)
	bad   = lipgloss.NewStyle().Foreground(badColor).Bold(true)
	faint = lipgloss.NewStyle().Faint(true)
	bold  = lipgloss.NewStyle().Bold(true)
)

// styleFor returns the sign and the style of a health.
func styleFor(h status.Health) (string, lipgloss.Style) {
	switch h {
	case status.Healthy:
		return "✔", good
	case status.Progressing, status.Deleting:
		return "◌", busy
	case status.Paused:
		return "‖", busy
	default:
		return "✖", bad
	}
}

// plainSigns maps the signs of the view to ASCII of equal width.
var plainSigns = map[rune]string{
	'✔': "+", '✖': "x", '×': "-", '◌': "~", '‖': "=", '→': ">", '▸': ">", '…': ".", '·': "|", '▏': "|",
	'◉': "@", '○': "o", '●': "*", '◐': "%", '─': "-", '█': "#", '▒': ":", '░': ".",
	'▁': "_", '▂': "_", '▃': ".", '▄': "-", '▅': "-", '▆': "=", '▇': "=", '↑': "^", '↓': "v",
}

// toASCII writes a view in ASCII only. Other text, such as a container's message, gets a
// question mark for each cell outside ASCII.
func toASCII(text string) string {
	var out strings.Builder
	for _, r := range text {
		switch plain, ok := plainSigns[r]; {
		case r < 0x80:
			out.WriteRune(r)
		case ok:
			out.WriteString(plain)
		default:
			out.WriteString(strings.Repeat("?", ansi.StringWidth(string(r))))
		}
	}
	return out.String()
}
