package tui

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

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
