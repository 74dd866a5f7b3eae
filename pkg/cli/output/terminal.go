package output

import (
	"io"

	"k8s.io/kubectl/pkg/util/term"
)

// IsTerminal reports whether both streams are a terminal, so that a user sees what
// is drawn and can answer.
func IsTerminal(in io.Reader, out io.Writer) bool {
	t := term.TTY{In: in, Out: Raw(out)}
	return t.IsTerminalIn() && t.IsTerminalOut()
}

func isTerminal(out io.Writer) bool { return term.TTY{Out: out}.IsTerminalOut() }

// Width returns the width of the terminal that the stream is, 0 when it is
// none.
func Width(out io.Writer) int {
	t := term.TTY{Out: Raw(out)}
	if !t.IsTerminalOut() {
		return 0
	}
	if size := t.GetSize(); size != nil {
		return int(size.Width)
	}
	return 0
}
