package status

import (
	"context"
	"errors"
	"fmt"

	"gati.dev/gati/pkg/cli/cluster"
	"gati.dev/gati/pkg/cli/exit"
	model "gati.dev/gati/pkg/status"
)

// followChanges writes the changes in the scope as lines.
func (o *options) followChanges(ctx context.Context, objs model.Objects, first model.Snapshot) error {
	if len(first.Items()) == 0 {
		return o.emptyError()
	}
	o.scope = o.scope.Resolved(objs)
	watching, cancel := o.withTimeout(ctx)
	defer cancel()
	feed, err := cluster.Follow(watching, o.client, o.scope, cluster.Patience(o.env), o.env.Now)
	if err != nil {
		return err
	}
	f := &follower{options: o, start: o.env.Now(), shown: map[string]string{}}
	err = f.run(first, feed.Snapshots)
	switch {
	case err == nil || !errors.Is(err, errEnded):
		return err
	case ctx.Err() != nil:
		return ctx.Err()
	case watching.Err() == nil:
		return feed.Err()
	default:
		return err.(ended).late //nolint:errorlint // it is created below and never wrapped
	}
}

// withTimeout applies --timeout, which counts from the start of the command.
func (o *options) withTimeout(ctx context.Context) (context.Context, context.CancelFunc) {
	if o.timeout > 0 {
		return context.WithDeadline(ctx, o.began.Add(o.timeout))
	}
	return context.WithCancel(ctx)
}

// readWithin runs a first read within --timeout, and names the flag where that was too
// short.
func (o *options) readWithin(ctx context.Context, read func(context.Context) error) error {
	limited, cancel := o.withTimeout(ctx)
	defer cancel()
	bounded, stop := cluster.Bounded(limited, o.env)
	defer stop()
	err := read(bounded)
	if err != nil && errors.Is(limited.Err(), context.DeadlineExceeded) {
		return exit.With(exit.Timeout, fmt.Errorf("nothing was read within %s", o.timeout))
	}
	return err
}

// emptyError is the error of a wait without any object.
func (o *options) emptyError() error {
	if o.all {
		return errors.New("no handlers or modules to wait for")
	}
	return fmt.Errorf("no handlers or modules to wait for in namespace %s", o.scope.Namespace)
}

// absentError returns why a named object is missing from a snapshot.
func (o *options) absentError(s model.Snapshot, ref cluster.Ref) error {
	resource := model.ResourceHandlers
	if ref.Kind == model.KindModule {
		resource = model.ResourceModules
	}
	for _, u := range s.Unread {
		if u.Resource == resource {
			return fmt.Errorf("cannot follow %s/%s: %s could not be read: %s", cluster.Short(ref.Kind), ref.Name, u.Resource, u.Reason)
		}
	}
	return fmt.Errorf("%s/%s was deleted", cluster.Short(ref.Kind), ref.Name)
}
