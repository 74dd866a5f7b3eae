package status

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"gati.dev/gati/pkg/cli/exit"
	model "gati.dev/gati/pkg/status"
)

// follower writes a line for each change and ends when nothing more changes by
// itself. A pipeline that waits on it must end even if nobody looks.
type follower struct {
	*options
	start time.Time
	// shown is what was last written of each item.
	shown  map[string]string
	warned bool
}

// errEnded tells that the snapshots have ended before what was waited for came.
var errEnded = errors.New("the snapshots have ended")

// ended is errEnded with what to say when that was for lack of time.
type ended struct{ late error }

func (ended) Error() string   { return errEnded.Error() }
func (ended) Is(e error) bool { return e == errEnded }

func (f *follower) run(s model.Snapshot, feed <-chan model.Snapshot) error {
	expected := len(f.scope.Refs)
	for {
		f.warn(s)
		if err := f.changes(s); err != nil {
			return err
		}
		p := f.judge(&s)
		switch {
		case p.total < expected:
			return f.gone(s)
		case p.coming == 0 && p.total > 0:
			return errors.Join(f.last(s), f.result(p))
		}
		next, more := <-feed
		if !more {
			return ended{f.late(p)}
		}
		s = next
	}
}

// changes writes what is new. With --for alone and -o json only the end is.
func (f *follower) changes(s model.Snapshot) error {
	changed := f.news(s)
	switch {
	case len(changed.Items()) == 0 || f.printer != nil && !f.watch:
		return nil
	case f.ndjson():
		return json.NewEncoder(f.env.Streams.Out).Encode(changed)
	}
	elapsed := f.env.Now().Sub(f.start).Seconds()
	for _, item := range changed.Items() {
		if _, err := fmt.Fprintf(f.env.Streams.Out, "%6.1fs  %s\n", elapsed, f.painter.Paint(colorOf(item.Health), f.stateOf(item))); err != nil {
			return err
		}
	}
	return nil
}

// news is the part of a snapshot that differs from what was written.
func (f *follower) news(s model.Snapshot) model.Snapshot {
	same := func(item *model.Item) bool {
		key, state := f.title(item), f.stateOf(item)
		if f.shown[key] == state {
			return true
		}
		f.shown[key] = state
		return false
	}
	s.Handlers = slices.DeleteFunc(slices.Clone(s.Handlers), func(h model.Handler) bool { return same(&h.Item) })
	s.Modules = slices.DeleteFunc(slices.Clone(s.Modules), func(m model.Module) bool { return same(&m.Item) })
	return s
}

// last writes the document that --for was asked to end with.
func (f *follower) last(s model.Snapshot) error {
	if f.printer == nil || f.watch {
		return nil
	}
	return f.print(s)
}

// warn names once what is missing.
func (f *follower) warn(s model.Snapshot) {
	if len(s.Unread) > 0 && !f.warned && f.printer == nil {
		f.warned = true
		f.warnUnread(s)
	}
}

func (o *options) stateOf(item *model.Item) string {
	return fmt.Sprintf("%s  %s  %d/%d  %s", o.title(item), item.Health, item.Ready, item.Desired, item.Reason)
}

// ndjson tells that each change is a JSON document on a line.
func (o *options) ndjson() bool { return o.format.Name() == "json" }

// gone says which of those that were named are no longer there.
func (f *follower) gone(s model.Snapshot) error {
	there := map[string]bool{}
	for _, item := range s.Items() {
		there[item.Kind+"/"+item.Name] = true
	}
	var errs []error
	for _, ref := range f.scope.Refs {
		if there[ref.Kind+"/"+ref.Name] {
			continue
		}
		errs = append(errs, f.absent(s, ref))
	}
	return exit.With(exit.Error, errors.Join(errs...))
}
