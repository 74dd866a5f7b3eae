package status

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"gati.dev/gati/pkg/cli/exit"
	"gati.dev/gati/pkg/cli/output"
	model "gati.dev/gati/pkg/status"
)

// follower writes a line for each change and ends when no further change is pending. A
// pipeline that waits on it must end.
type follower struct {
	*options
	start time.Time
	// shown is the last line of each item.
	shown  map[string]string
	warned bool
}

// errEnded reports that the snapshots ended before the goal was reached.
var errEnded = errors.New("the snapshots have ended")

// ended is errEnded with the error to return after a timeout.
type ended struct{ late error }

func (ended) Error() string   { return errEnded.Error() }
func (ended) Is(e error) bool { return e == errEnded }

func (f *follower) run(s model.Snapshot, feed <-chan model.Snapshot) error {
	expected := len(f.scope.Refs)
	for {
		f.warnOnce(s)
		if err := f.writeChanges(s); err != nil {
			return err
		}
		p := f.judgeItems(&s)
		switch {
		case p.total < expected:
			return f.missingError(s)
		case p.coming == 0 && p.total > 0:
			return errors.Join(f.writeLast(s), f.waitError(p))
		}
		next, more := <-feed
		if !more {
			return ended{f.timeoutError(p)}
		}
		s = next
	}
}

// writeChanges writes the changes. With --for and -o json only the end is written.
func (f *follower) writeChanges(s model.Snapshot) error {
	changed := f.changedItems(s)
	switch {
	case len(changed.Items()) == 0 || f.printer != nil && !f.watch:
		return nil
	case f.isNDJSON():
		return output.WriteJSON(f.env.Streams.Out, changed)
	}
	elapsed := f.env.Now().Sub(f.start).Seconds()
	for _, item := range changed.Items() {
		if _, err := fmt.Fprintf(f.env.Streams.Out, "%6.1fs  %s\n", elapsed, f.painter.Paint(colorOf(item.Health), f.stateOf(item))); err != nil {
			return err
		}
	}
	return nil
}

// changedItems returns the part of a snapshot that was not written yet.
func (f *follower) changedItems(s model.Snapshot) model.Snapshot {
	same := func(item *model.Item) bool {
		key, state := f.itemTitle(item), f.stateOf(item)
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

// writeLast writes the document that --for ends with.
func (f *follower) writeLast(s model.Snapshot) error {
	if f.printer == nil || f.watch {
		return nil
	}
	return f.printSnapshot(s)
}

// warnOnce names the unreadable lists once.
func (f *follower) warnOnce(s model.Snapshot) {
	if len(s.Unread) > 0 && !f.warned && f.printer == nil {
		f.warned = true
		f.warnUnread(s)
	}
}

func (o *options) stateOf(item *model.Item) string {
	return output.Line(fmt.Sprintf("%s  %s  %d/%d  %s", o.itemTitle(item), item.Health, item.Ready, item.Desired, item.Reason))
}

// isNDJSON reports whether each change is a JSON document on a line.
func (o *options) isNDJSON() bool { return o.format.Name() == "json" }

// missingError names the objects that were deleted.
func (f *follower) missingError(s model.Snapshot) error {
	there := map[string]bool{}
	for _, item := range s.Items() {
		there[item.Kind+"/"+item.Name] = true
	}
	var errs []error
	for _, ref := range f.scope.Refs {
		if there[ref.Kind+"/"+ref.Name] {
			continue
		}
		errs = append(errs, f.absentError(s, ref))
	}
	return exit.With(exit.Error, errors.Join(errs...))
}
