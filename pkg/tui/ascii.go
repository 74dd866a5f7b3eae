package tui

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// plainSigns are what stands for each sign of the view where a terminal or its font
// has ASCII alone. Each is as wide as what it stands for.
var plainSigns = map[rune]string{
	'✔': "+", '✖': "x", '×': "-", '◌': "~", '‖': "=", '→': ">", '▸': ">", '…': ".", '·': "|", '▏': "|",
	'◉': "@", '○': "o", '●': "*", '◐': "%", '─': "-", '█': "#", '▒': ":", '░': ".",
	'▁': "_", '▂': "_", '▃': ".", '▄': "-", '▅': "-", '▆': "=", '▇': "=", '↑': "^", '↓': "v",
}

// toASCII writes a view in ASCII alone. What others have written, such as a message
// of a container, has a question mark for each cell of what ASCII lacks.
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
