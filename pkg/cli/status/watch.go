package status

import (
	"context"
	"errors"
	"fmt"

	"gati.dev/gati/pkg/cli/cluster"
	"gati.dev/gati/pkg/cli/exit"
	"gati.dev/gati/pkg/cli/output"
	model "gati.dev/gati/pkg/status"
	"gati.dev/gati/pkg/tui"
)

// follow shows one object as it changes: drawn on a terminal, in lines
// elsewhere.
func (o *options) follow(ctx context.Context) error {
	first, err := o.read(ctx)
	if err != nil {
		return err
	}
	if o.ref.Kind = model.KindHandler; len(first.Modules) > 0 {
		o.ref.Kind = model.KindModule
	}
	watching, cancel := o.limited(ctx)
	defer cancel()
	feed := cluster.Follow(watching, o.client, o.namespace, o.ref, o.env.Now)
	last := model.Build(first, o.env.Now())
	if output.IsTerminal(o.env.Streams.In, o.env.Streams.Out) {
		last, err = o.draw(watching, last, feed)
	} else {
		last, err = o.lines(last, feed)
	}
	switch {
	case err != nil:
		return err
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(watching.Err(), context.DeadlineExceeded):
		return exit.With(exit.Timeout, fmt.Errorf("%s/%s is not settled after %s: %s", cluster.Short(o.ref.Kind), o.ref.Name, o.timeout, reasonOf(last)))
	}
	return nil
}

// limited applies --timeout.
func (o *options) limited(ctx context.Context) (context.Context, context.CancelFunc) {
	if o.timeout > 0 {
		return context.WithTimeout(ctx, o.timeout)
	}
	return context.WithCancel(ctx)
}

// draw runs the live view until the user leaves it, and then says in one line
// what it showed last.
func (o *options) draw(ctx context.Context, first model.Snapshot, feed <-chan model.Snapshot) (model.Snapshot, error) {
	last, err := tui.Run(ctx, tui.Options{
		In:        o.env.Streams.In,
		Out:       o.env.Streams.Out,
		First:     first,
		Snapshots: feed,
		NoColor:   !o.painter.On(),
	})
	if errors.Is(err, tui.ErrInterrupted) {
		return last, exit.Silent(exit.Interrupted)
	}
	if err == nil {
		if item := only(last); item != nil {
			_, err = fmt.Fprintln(o.env.Streams.Out, stateOf(item))
		}
	}
	return last, err
}

func reasonOf(s model.Snapshot) string {
	if item := only(s); item != nil {
		return item.Reason
	}
	return "it is gone"
}

// gone says why a snapshot is empty.
func (o *options) gone(s model.Snapshot) error {
	for _, u := range s.Unread {
		if u.Resource == model.ResourceHandlers || u.Resource == model.ResourceModules {
			return fmt.Errorf("cannot follow %s/%s: %s could not be read: %s", cluster.Short(o.ref.Kind), o.ref.Name, u.Resource, u.Reason)
		}
	}
	return fmt.Errorf("%s/%s was deleted", cluster.Short(o.ref.Kind), o.ref.Name)
}

// only returns the one item of a snapshot, nil when it is gone.
func only(s model.Snapshot) *model.Item {
	if items := s.Items(); len(items) == 1 {
		return items[0]
	}
	return nil
}
