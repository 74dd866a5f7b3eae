package output

import (
	"io"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/printers"
	"k8s.io/kubectl/pkg/util/term"

	"gati.dev/gati/pkg/cli/exit"
)

// Color is one of the few colours that say something: a sequence after its escape
// character.
type Color string

// The colours by their meaning. None leaves the text unchanged.
const (
	None  Color = ""
	Good  Color = "[32m"
	Busy  Color = "[33m"
	Bad   Color = "[31m"
	Faint Color = "[2m"
	Bold  Color = "[1m"
)

// Painter colours text, or leaves it alone.
type Painter struct{ on bool }

// Paint wraps the text in the colour. A Screen shows it.
func (p Painter) Paint(c Color, text string) string {
	if !p.on || c == None || text == "" {
		return text
	}
	return mark() + string(c) + text + mark() + "[0m"
}

// ColorFlag is the flag --color.
type ColorFlag struct{ when string }

// AddTo adds the flag to a command.
func (f *ColorFlag) AddTo(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.when, "color", "auto", "When to colour the output: auto (on a terminal unless NO_COLOR is set), always or never.")
	values := cobra.FixedCompletions([]string{"auto", "always", "never"}, cobra.ShellCompDirectiveNoFileComp)
	if err := cmd.RegisterFlagCompletionFunc("color", values); err != nil {
		panic(err) // the flag was added above
	}
}

// Painter returns the painter for a stream. The flag beats the environment.
func (f *ColorFlag) Painter(w io.Writer) (Painter, error) {
	switch f.when {
	case "always":
		return Painter{on: true}, nil
	case "never":
		return Painter{}, nil
	case "auto":
		return Painter{on: printers.AllowsColorOutput(Raw(w))}, nil
	default:
		return Painter{}, exit.Usagef("--color must be auto, always or never, not %q", f.when)
	}
}

// On reports whether the painter colours at all.
func (p Painter) On() bool { return p.on }

// IsTerminal reports whether both streams are a terminal, so that a user sees the output
// and can answer.
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
