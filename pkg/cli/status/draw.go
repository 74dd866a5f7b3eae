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

// Backends makes what a live view asks of the cluster. The package shows alone:
// whoever puts the commands together says what else there is.
type Backends func(context.Context, *env.Env, client.Client) tui.Backend

// draws tells that somebody sees a drawing, and can press keys.
func (o *options) draws() bool {
	return o.watch && !o.plain && o.until == "" && o.format.Text() && output.IsTerminal(o.env.Streams.In, o.env.Streams.Out)
}

// live draws what is in the scope until the user leaves it, and then says in a line
// how it is. The first drawing needs the handlers and modules alone.
func (o *options) live(ctx context.Context) error {
	quiet := *o.env
	quiet.Streams.ErrOut = io.Discard // the screen is the view's
	c, err := cluster.Connect(&quiet)
	if err != nil {
		return err
	}
	first, err := o.firstLook(ctx, c)
	if err != nil {
		return err
	}
	if done := o.leaves(); done != nil && done(&first) {
		return errors.Join(o.farewell(first), o.result(o.judge(&first)))
	}
	watching, cancel := o.limited(ctx)
	defer cancel()
	feed, err := cluster.Live(watching, c, o.scope, cluster.Patience(o.env), o.env.Now)
	if err != nil {
		return err
	}
	end, err := tui.Run(watching, tui.Options{
		In: o.env.Streams.In, Out: o.env.Streams.Out, First: first, Snapshots: feed.Snapshots, One: len(o.scope.Refs) == 1,
		Backend: o.backends(watching, &quiet, c), Done: o.leaves(), NoColor: !o.painter.On(), ASCII: o.ascii || plainTerminal(os.Getenv),
	})
	switch {
	case errors.Is(err, tui.ErrInterrupted):
		return exit.Silent(exit.Interrupted)
	case err != nil:
		return err
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return errors.Join(o.farewell(end.Last), o.ending(watching, end))
}

// firstLook reads what is drawn first, and works out the kinds of bare names. With
// --exit-on it reads all: for what is over already nothing is drawn.
func (o *options) firstLook(ctx context.Context, c client.Client) (model.Snapshot, error) {
	bounded, cancel := cluster.Bounded(ctx, o.env)
	defer cancel()
	read := cluster.Glance
	if o.exitOn != "" {
		read = cluster.Read
	}
	objs, err := read(bounded, c, o.scope)
	if err != nil {
		return model.Snapshot{}, err
	}
	o.scope = o.scope.Resolved(objs)
	return model.Build(objs, o.env.Now()), nil
}

// leaves tells when a view is left by itself, nil for never: with --exit-on when
// the goal has come or cannot come any more. What waits for somebody is not left:
// somebody is looking.
func (o *options) leaves() func(*model.Snapshot) bool {
	if o.exitOn == "" {
		return nil
	}
	return func(s *model.Snapshot) bool {
		p := o.judge(s)
		return p.total > 0 && p.coming == 0 && p.code != exit.Paused
	}
}

// farewell says in a line what was shown last: the screen is gone.
func (o *options) farewell(s model.Snapshot) error {
	for _, item := range s.Items() {
		if !o.named() && !item.Health.NeedsSomebody() {
			continue
		}
		if _, err := fmt.Fprintln(o.env.Streams.Out, o.stateOf(item)); err != nil {
			return err
		}
	}
	return nil
}

// ending is the error that a view ends with. Who leaves before what they wait for
// has come has interrupted the wait.
func (o *options) ending(watching context.Context, end tui.Result) error {
	switch {
	case end.Reached:
		return o.result(o.judge(&end.Last))
	case watching.Err() != nil:
		return o.late(o.judge(&end.Last))
	case o.exitOn != "":
		return exit.Silent(exit.Interrupted)
	default:
		return nil
	}
}

// plainTerminal tells that a terminal shows ASCII alone: its locale has no UTF-8, or
// it is the console of Linux, whose font lacks the signs.
func plainTerminal(getenv func(string) string) bool {
	if runtime.GOOS == "windows" {
		return false // the locale is no variable there
	}
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if locale := strings.ToUpper(getenv(name)); locale != "" {
			utf8 := strings.Contains(locale, "UTF-8") || strings.Contains(locale, "UTF8")
			return !utf8 || getenv("TERM") == "linux"
		}
	}
	return true
}
