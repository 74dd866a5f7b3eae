package tui

import (
	"context"
	"errors"
	"io"
	"os"

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
	// NoColor draws without colours.
	NoColor bool
}

// Run draws until the user leaves, the context ends or the snapshots do. It
// returns the snapshot that was drawn last. In and Out must be a terminal.
func Run(ctx context.Context, o Options) (status.Snapshot, error) {
	environment := os.Environ()
	if o.NoColor {
		environment = append(environment, "NO_COLOR=1")
	}
	program := tea.NewProgram(NewModel(o.First, o.Snapshots),
		tea.WithContext(ctx), tea.WithInput(o.In), tea.WithOutput(o.Out), tea.WithEnvironment(environment))
	end, err := program.Run()
	m, ok := end.(Model)
	if !ok {
		return o.First, err
	}
	switch {
	case m.interrupted || errors.Is(err, tea.ErrInterrupted):
		err = ErrInterrupted
	case ctx.Err() != nil:
		err = nil // the caller ended it, and knows why
	}
	return m.snap, err
}
