package status

import (
	"errors"
	"fmt"

	"gati.dev/gati/pkg/cli/cluster"
	"gati.dev/gati/pkg/cli/exit"
	model "gati.dev/gati/pkg/status"
)

// progress counts how far everything that is followed is.
type progress struct {
	coming, total int
	// first is one of those that are still on their way.
	first *model.Item
	// ended are those that do not get there by themselves.
	ended []error
	// code is the exit code that they lead to.
	code int
}

// judge asks of each item how far it is.
func (o *options) judge(s *model.Snapshot) progress {
	var p progress
	for i := range s.Handlers {
		p.add(o, &s.Handlers[i].Item, o.goal.OfHandler(&s.Handlers[i]))
	}
	for i := range s.Modules {
		p.add(o, &s.Modules[i].Item, o.goal.OfModule(&s.Modules[i]))
	}
	return p
}

func (p *progress) add(o *options, item *model.Item, outcome model.Outcome) {
	p.total++
	switch outcome {
	case model.Coming:
		p.coming++
		if p.first == nil {
			p.first = item
		}
	case model.Waiting:
		p.end(o, item, exit.Paused)
	case model.Missed:
		p.end(o, item, exit.Unhealthy)
	}
}

// end notes an item that does not get there. What has failed outweighs what only
// waits.
func (p *progress) end(o *options, item *model.Item, code int) {
	p.ended = append(p.ended, fmt.Errorf("%s is %s, and %s does not come by itself: %s", o.title(item), item.Health, o.goal, item.Reason))
	if p.code != exit.Unhealthy {
		p.code = code
	}
}

// result is the error that the wait ends with. Without --for the last line has
// said it all.
func (o *options) result(p progress) error {
	switch {
	case p.code == exit.OK:
		return nil
	case o.until == "":
		return exit.Silent(p.code)
	default:
		return exit.With(p.code, errors.Join(p.ended...))
	}
}

// late is the error of a wait that took too long. What has failed meanwhile
// outweighs what only takes long.
func (o *options) late(p progress) error {
	what := "is not settled"
	if o.until != "" {
		what = fmt.Sprintf("has not come to %s", o.goal)
	}
	text := fmt.Errorf("nothing was seen within %s", o.timeout)
	if p.first != nil {
		text = fmt.Errorf("%s %s after %s: %s", o.title(p.first), what, o.timeout, p.first.Reason)
	}
	if p.coming > 1 {
		text = fmt.Errorf("%w; %d more like it", text, p.coming-1)
	}
	if p.code == exit.Unhealthy {
		return exit.With(p.code, errors.Join(append(p.ended, text)...))
	}
	return exit.With(exit.Timeout, text)
}

// title names an item as people type it, with its namespace where there are several.
func (o *options) title(item *model.Item) string {
	title := cluster.Short(item.Kind) + "/" + item.Name
	if o.all {
		title = item.Namespace + " " + title
	}
	return title
}
