package status

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"gati.dev/gati/pkg/cli/cluster"
	"gati.dev/gati/pkg/cli/exit"
	model "gati.dev/gati/pkg/status"
)

// progress counts the outcomes of everything that is followed.
type progress struct {
	coming, total int
	// first is the first item in progress.
	first *model.Item
	// ended are the errors of items that cannot get there, or need a request.
	ended []error
	// code is their exit code.
	code int
}

// judgeItems returns the outcomes of all items.
func (o *options) judgeItems(s *model.Snapshot) progress {
	var p progress
	for i := range s.Handlers {
		h := &s.Handlers[i]
		p.addOutcome(o, &h.Item, o.goal.JudgeHandler(h), o.goal.Beyond(h))
	}
	for i := range s.Modules {
		p.addOutcome(o, &s.Modules[i].Item, o.goal.JudgeModule(&s.Modules[i]), "")
	}
	return p
}

func (p *progress) addOutcome(o *options, item *model.Item, outcome model.Outcome, beyond string) {
	p.total++
	switch outcome {
	case model.Coming:
		p.coming++
		if p.first == nil {
			p.first = item
		}
	case model.Waiting:
		p.endItem(o, item, exit.Paused, fmt.Sprintf("is not reached without a request: it is %s: %s", item.Health, item.Reason))
	case model.Missed:
		why := cmp.Or(beyond, fmt.Sprintf("it is %s: %s", item.Health, item.Reason))
		p.endItem(o, item, exit.Unhealthy, "cannot be reached: "+why)
	}
}

// endItem adds an item that cannot get there, or needs a request. A failure outweighs a
// wait.
func (p *progress) endItem(o *options, item *model.Item, code int, why string) {
	p.ended = append(p.ended, fmt.Errorf("%s: %s %s", o.itemTitle(item), strings.Replace(o.goal.String(), "=", " ", 1), why))
	if p.code != exit.Unhealthy {
		p.code = code
	}
}

// waitError returns the error that the wait ends with. Without --for it is silent: the
// last line shows the state.
func (o *options) waitError(p progress) error {
	switch {
	case p.code == exit.OK:
		return nil
	case o.until == "":
		return exit.Silent(p.code)
	default:
		return exit.With(p.code, errors.Join(p.ended...))
	}
}

// timeoutError returns the error of a timeout. A failure outweighs it, and a view of what is
// settled ends with its state.
func (o *options) timeoutError(p progress) error {
	if p.total > 0 && p.coming == 0 {
		return o.waitError(p)
	}
	what := "is not settled"
	if o.until != "" {
		what = fmt.Sprintf("has not reached %s", o.goal)
	}
	text := fmt.Errorf("nothing was read within %s", o.timeout)
	if p.first != nil {
		text = fmt.Errorf("%s %s after %s: %s", o.itemTitle(p.first), what, o.timeout, p.first.Reason)
	}
	if p.coming > 1 {
		text = fmt.Errorf("%w; %d more in progress", text, p.coming-1)
	}
	if p.code == exit.Unhealthy {
		return exit.With(p.code, errors.Join(append(p.ended, text)...))
	}
	return exit.With(exit.Timeout, text)
}

// itemTitle returns the name of an item as users type it, with its namespace under -A.
func (o *options) itemTitle(item *model.Item) string {
	title := cluster.Short(item.Kind) + "/" + item.Name
	if o.all {
		title = item.Namespace + " " + title
	}
	return title
}
