package status

import (
	"fmt"
	"time"

	"gati.dev/gati/pkg/cli/cluster"
	model "gati.dev/gati/pkg/status"
)

// lines writes a line for each change and ends when nothing more changes by
// itself. A pipeline that waits on it must end even if nobody looks.
func (o *options) lines(s model.Snapshot, feed <-chan model.Snapshot) (model.Snapshot, error) {
	start := o.env.Now()
	shown := ""
	o.warnUnread(s)
	for {
		item := only(s)
		if item == nil {
			return s, o.gone(s)
		}
		if state := stateOf(item); state != shown {
			shown = state
			if err := o.line(start, item); err != nil {
				return s, err
			}
		}
		if item.Health.Settled() {
			return s, o.verdict(s)
		}
		next, more := <-feed
		if !more {
			return s, nil
		}
		if len(next.Unread) > 0 && len(s.Unread) == 0 {
			o.warnUnread(next)
		}
		s = next
	}
}

// line writes the state in one line, with the time since the start before it.
func (o *options) line(start time.Time, item *model.Item) error {
	elapsed := o.env.Now().Sub(start).Seconds()
	_, err := fmt.Fprintf(o.env.Streams.Out, "%6.1fs  %s\n", elapsed, o.painter.Paint(colorOf(item.Health), stateOf(item)))
	return err
}

func stateOf(item *model.Item) string {
	return fmt.Sprintf("%s/%s  %s  %d/%d  %s", cluster.Short(item.Kind), item.Name, item.Health, item.Ready, item.Desired, item.Reason)
}
