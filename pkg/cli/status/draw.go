package status

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"gati.dev/gati/pkg/cli/cluster"
	"gati.dev/gati/pkg/cli/env"
	"gati.dev/gati/pkg/cli/exit"
	"gati.dev/gati/pkg/cli/output"
	model "gati.dev/gati/pkg/status"
	"gati.dev/gati/pkg/tui"
)

// Backends makes the backend of a live view. This package only shows; the caller that
// assembles the commands provides the requests.
type Backends func(context.Context, *env.Env, client.Client) tui.Backend

// isInteractive reports whether a live view can be drawn and take keys: a dumb terminal, such
// as an editor's, gets lines.
func (o *options) isInteractive() bool {
	return o.watch && !o.plain && o.until == "" && o.format.Text() && os.Getenv("TERM") != "dumb" &&
		output.IsTerminal(o.env.Streams.In, o.env.Streams.Out)
}

// runLive draws the scope until the user leaves, and then prints a closing line. The first
// drawing needs the handlers and modules only.
func (o *options) runLive(ctx context.Context) error {
	quiet := *o.env
	quiet.Streams.ErrOut = io.Discard // the view owns the screen
	c, err := cluster.Connect(&quiet)
	if err != nil {
		return err
	}
	first, err := o.readFirst(ctx, c)
	if err != nil {
		return err
	}
	if done := o.exitCondition(); done != nil && done(&first) {
		return errors.Join(o.printLast(first), o.waitError(o.judgeItems(&first)))
	}
	watching, cancel := o.withTimeout(ctx)
	defer cancel()
	feed, err := cluster.Live(watching, c, o.scope, cluster.Patience(o.env), o.env.Now)
	if err != nil {
		return err
	}
	end, err := tui.Run(watching, tui.Options{
		In: o.env.Streams.In, Out: output.Raw(o.env.Streams.Out), First: first, Snapshots: feed.Snapshots, One: len(o.scope.Refs) == 1,
		Backend: o.backends(watching, &quiet, c), Done: o.exitCondition(), NoColor: !o.painter.On(), ASCII: o.ascii || needsASCII(os.Getenv),
	})
	switch {
	case errors.Is(err, tui.ErrInterrupted):
		return exit.Silent(exit.Interrupted)
	case err != nil:
		return err
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return errors.Join(o.printLast(end.Last), o.exitError(watching, end))
}

// readFirst reads the first drawing and resolves the kinds of bare names. With
// --exit-on it reads everything: nothing is drawn if the wait is over already.
func (o *options) readFirst(ctx context.Context, c client.Client) (model.Snapshot, error) {
	read := cluster.Glance
	if o.exitOn != "" {
		read = cluster.Read
	}
	var objs model.Objects
	err := o.readWithin(ctx, func(ctx context.Context) (err error) {
		objs, err = read(ctx, c, o.scope)
		return err
	})
	if err != nil {
		return model.Snapshot{}, err
	}
	o.scope = o.scope.Resolved(objs)
	return model.Build(objs, o.env.Now()), nil
}

// exitCondition returns when the view ends by itself, nil for never: with --exit-on
// when the goal is reached or missed. A rollout that waits for a request keeps the view
// open, because a user can make it there.
func (o *options) exitCondition() func(*model.Snapshot) bool {
	if o.exitOn == "" {
		return nil
	}
	return func(s *model.Snapshot) bool {
		p := o.judgeItems(s)
		return p.total > 0 && p.coming == 0 && p.code != exit.Paused
	}
}

// printLast prints the last state in a line, because the screen is cleared.
func (o *options) printLast(s model.Snapshot) error {
	for _, item := range s.Items() {
		if !o.hasNames() && !model.NeedsAttention(item.Health) {
			continue
		}
		if _, err := fmt.Fprintln(o.env.Streams.Out, o.stateOf(item)); err != nil {
			return err
		}
	}
	return nil
}

// exitError returns the error that a view ends with. Leaving before the goal of
// --exit-on interrupts the wait.
func (o *options) exitError(watching context.Context, end tui.Result) error {
	switch {
	case end.Reached:
		return o.waitError(o.judgeItems(&end.Last))
	case watching.Err() != nil:
		return o.timeoutError(o.judgeItems(&end.Last))
	case o.exitOn != "":
		return exit.Silent(exit.Interrupted)
	default:
		return nil
	}
}

// needsASCII reports whether a terminal shows ASCII only: its locale has no UTF-8, or
// it is the Linux console, whose font lacks the signs.
func needsASCII(getenv func(string) string) bool {
	if runtime.GOOS == "windows" {
		return false // its locale is not in the environment
	}
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if locale := strings.ToUpper(getenv(name)); locale != "" {
			utf8 := strings.Contains(locale, "UTF-8") || strings.Contains(locale, "UTF8")
			return !utf8 || getenv("TERM") == "linux"
		}
	}
	return true
}
