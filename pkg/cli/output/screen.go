package output

import (
	"crypto/rand"
	"io"
	"strings"
	"sync"

	"k8s.io/cli-runtime/pkg/genericiooptions"

	"gati.dev/gati/pkg/printable"
)

// mark stands for the escape character in the sequences of a Painter. It is random, so
// that no object can hold it: all other control characters are data.
var mark = sync.OnceValue(func() string { return "\x1b" + rand.Text() })

// Screen is a stream for text that people read. It escapes everything but a Painter's
// marks, because texts of a cluster may hold terminal sequences. Each write must be whole
// characters and whole marks.
type Screen struct{ raw io.Writer }

// NewScreen returns a screen on a stream.
func NewScreen(raw io.Writer) *Screen { return &Screen{raw} }

// Screens returns the streams with their outputs wrapped in screens.
func Screens(s genericiooptions.IOStreams) genericiooptions.IOStreams {
	s.Out, s.ErrOut = NewScreen(s.Out), NewScreen(s.ErrOut)
	return s
}

// Write writes text.
func (s *Screen) Write(text []byte) (int, error) {
	parts := strings.Split(string(text), mark())
	for i := range parts {
		parts[i] = printable.Text(parts[i])
	}
	if _, err := io.WriteString(s.raw, strings.Join(parts, "\x1b")); err != nil {
		return 0, err
	}
	return len(text), nil
}

// Data returns the stream for what programs read: the one below a screen. A terminal keeps
// its screen, since no program reads there.
func Data(w io.Writer) io.Writer {
	if raw := Raw(w); !isTerminal(raw) {
		return raw
	}
	return w
}

// Raw returns the stream below a screen, a terminal's, too.
func Raw(w io.Writer) io.Writer {
	if s, ok := w.(*Screen); ok {
		return s.raw
	}
	return w
}

// Line makes one line of a text of a cluster.
func Line(text string) string { return printable.Line(text) }
