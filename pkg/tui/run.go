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

// ErrInterrupted reports that the user pressed ctrl+c.
var ErrInterrupted = errors.New("interrupted")

// Options are the input of the view.
type Options struct {
	In  io.Reader
	Out io.Writer
	// First is drawn at once; Snapshots has the following ones until it is closed.
	First     status.Snapshot
	Snapshots <-chan status.Snapshot
	// One shows the page of one item, without a list.
	One bool
	// Backend makes the requests; without one the view is read-only.
	Backend Backend
	// Done reports whether a snapshot ends the view.
	Done func(*status.Snapshot) bool
	// NoColor draws without colours, ASCII with ASCII only.
	NoColor, ASCII bool
}

// Result is how a view ended.
type Result struct {
	// Last is the snapshot that was drawn last.
	Last status.Snapshot
	// Reached reports whether Done ended it.
	Reached bool
	// Views is the number of drawn views.
	Views int64
}

// Run draws until the user leaves, the context or the snapshots end, or Done holds. In
// and Out must be a terminal.
func Run(ctx context.Context, o Options) (Result, error) {
	return run(ctx, o, tea.WithInput(o.In), tea.WithOutput(o.Out), tea.WithEnvironment(drawingEnvironment(os.Environ(), o.NoColor)))
}

// drawingEnvironment returns the environment of the drawing library. The options decide on
// colours, because a flag may override the user's NO_COLOR.
func drawingEnvironment(of []string, noColor bool) []string {
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
		err = nil // the caller ended it
	}
	return Result{m.snap, m.reached, m.drawn.Load()}, err
}
