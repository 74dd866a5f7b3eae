package tui

import (
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"gati.dev/gati/pkg/status"
)

// ErrInterrupted tells that the user pressed ctrl+c.
var ErrInterrupted = errors.New("interrupted")

// Options are what the view needs.
type Options struct {
	In  io.Reader
	Out io.Writer
	// First is drawn at once; Snapshots brings what follows, until it is closed.
	First     status.Snapshot
	Snapshots <-chan status.Snapshot
	// One shows the page of one item, without a list behind it.
	One bool
	// Backend is asked for what the view cannot do itself; without one it only shows.
	Backend Backend
	// Done tells that a snapshot is what is waited for: then the view ends.
	Done func(*status.Snapshot) bool
	// NoColor draws without colours, ASCII without signs that ASCII lacks.
	NoColor, ASCII bool
}

// Result is how a view ended.
type Result struct {
	// Last is the snapshot that was drawn last.
	Last status.Snapshot
	// Reached tells that it ended because of Done.
	Reached bool
	// Views is how often the view was drawn.
	Views int64
}

// Run draws until the user leaves, the context or the snapshots end, or what is
// waited for has come. In and Out must be a terminal.
func Run(ctx context.Context, o Options) (Result, error) {
	return run(ctx, o, tea.WithInput(o.In), tea.WithOutput(o.Out), tea.WithEnvironment(environment(os.Environ(), o.NoColor)))
}

// environment is what the drawing library learns of colours: from the options, not
// from the user's NO_COLOR, over which a flag may have decided.
func environment(of []string, noColor bool) []string {
	of = slices.DeleteFunc(slices.Clone(of), func(v string) bool { return strings.HasPrefix(v, "NO_COLOR=") })
	if noColor {
		of = append(of, "NO_COLOR=1")
	}
	return of
}

func run(ctx context.Context, o Options, options ...tea.ProgramOption) (Result, error) {
	program := tea.NewProgram(newModel(o), append(options, tea.WithContext(ctx))...)
	end, err := program.Run()
	m, ok := end.(Model)
	if !ok {
		return Result{Last: o.First}, err
	}
	switch {
	case m.interrupted || errors.Is(err, tea.ErrInterrupted):
		err = ErrInterrupted
	case ctx.Err() != nil:
		err = nil // the caller ended it, and knows why
	}
	return Result{m.snap, m.reached, m.drawn.Load()}, err
}
