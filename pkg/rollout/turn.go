package rollout

import (
	"fmt"
	"time"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/pkg/printable"
)

// Turn has the operator's bounds on the rollouts that are under way at once, as they are
// for one handler. A handler whose rollout has begun keeps its place until that ends.
type Turn struct {
	// All applies the bounds to every rollout, not only to one that the image of the
	// namespace leads to.
	All bool
	// Bounds are those of the namespace and of the cluster.
	Bounds []Bound
}

// Bound is one bound on the rollouts that are under way at once.
type Bound struct {
	// Scope is where it holds, for sentences: "namespace shop", "the cluster".
	Scope string
	// Limit is how many rollouts may be under way, Taken how many of other handlers are,
	// Before how many handlers wait and have waited longer.
	Limit, Taken, Before int
	// Blocked counts those under way that are paused or stalled. FirstBlocked is the
	// name of one of them.
	Blocked      int
	FirstBlocked string
}

// Full returns the first bound that lets no rollout begin; nil where each does. A free place
// belongs to those who have waited longer.
func (t *Turn) Full() *Bound {
	for i := range t.Bounds {
		if b := &t.Bounds[i]; b.Taken+b.Before >= b.Limit {
			return b
		}
	}
	return nil
}

// HoldsPlace reports whether a handler has a rollout under way: one that is paused, that
// failed and waits for a user, or that goes back, too.
func HoldsPlace(ro *v1.RolloutStatus) bool {
	if ro == nil {
		return false
	}
	switch ro.Phase {
	case v1.RolloutProgressing, v1.RolloutRollingBack, v1.RolloutFailed:
		return true
	default:
		return false
	}
}

// How soon a handler that waits looks again, although the end of a rollout wakes the first
// ones: the further behind the later, so that the looks of any number of handlers are few.
const (
	minTurnLook = 10 * time.Second
	turnLook    = 2 * time.Second
	maxTurnLook = time.Hour
)

// waitsForTurn reports whether nothing but the number of other rollouts keeps the rollout
// to a unit from beginning. A paused or held one does not stand in line.
func (c candidates) waitsForTurn(u *unit) bool {
	return u != nil && c.ro.Frozen == nil && c.findFullBound(u.Ref()) != nil && c.admitVerdict(u.Ref()).isPass()
}

// turnVerdict returns what keeps a rollout from beginning although nothing is wrong with
// it: too many others are under way.
func (c candidates) turnVerdict(ref *v1.UnitRef) verdict {
	full := c.findFullBound(ref)
	if full == nil {
		return passed
	}
	return waitFor(v1.WaitingForTurn, "%s waits for one of %s in %s; %s before it%s",
		ref.Title(), printable.Count(full.Limit, "rollout"), full.Scope, areBefore(full.Before), full.describeBlocked())
}

// findFullBound returns the bound that keeps a rollout to the declared template from
// beginning. The first version, a rollback and a rollout that replaces a running one do not
// wait.
func (c candidates) findFullBound(ref *v1.UnitRef) *Bound {
	d := c.declared
	switch {
	case c.turn == nil, c.ro.Stable == nil, c.ro.Phase == v1.RolloutStarting, c.ro.Pinned != nil, HoldsPlace(c.before):
		return nil
	case ref.Version != d.Version, ref.RevisionNumber != d.RevisionNumber, c.ro.Stable.SameTemplate(ref):
		return nil
	case c.isManual() && c.servingUnit(ref.Version) == nil:
		return nil // Its record decides when it gets traffic.
	}
	return c.turn.Full()
}

// describeBlocked names what does not end by itself, for the end of a sentence.
func (b *Bound) describeBlocked() string {
	switch b.Blocked {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf("; the rollout of %s is paused or stalled and keeps its place", b.FirstBlocked)
	default:
		return fmt.Sprintf("; %d rollouts are paused or stalled and keep their places, such as %s", b.Blocked, b.FirstBlocked)
	}
}

func areBefore(n int) string {
	if n == 1 {
		return "1 is"
	}
	return fmt.Sprintf("%d are", n)
}

// noteTurn persists since when the handler has waited for its turn, and looks again: its
// place in line stays when another image comes while it waits.
func (c candidates) noteTurn() {
	if w := c.ro.WaitingFor; w == nil || w.Reason != v1.WaitingForTurn {
		c.ro.QueuedAt = nil
		return
	}
	if c.ro.QueuedAt == nil {
		c.ro.QueuedAt = c.stampNow()
	}
	if full := c.turn.Full(); full != nil {
		c.lookAgainIn(min(max(minTurnLook, time.Duration(full.Before)*turnLook), maxTurnLook))
	}
}
