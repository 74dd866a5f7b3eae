package kubernetes

import (
	"context"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"gati.dev/gati/pkg/target"
)

// calm is for how long an object has to stay as it is after our last write, for a
// contest to be over: another writer may need a moment.
const calm = period / 2

// forgotten is how long an unused contest is kept.
const forgotten = time.Hour

// contests remembers the objects that another manager keeps changing back. While it
// lasts, one write a period tries whether it is over, and the problem stands in
// between: it must not come and go with each try. A lost memory, as after a
// restart, costs one more round of repairs.
type contests struct {
	clock clock.PassiveClock
	mu    sync.Mutex
	known map[types.UID]*contest
}

type contest struct {
	problem error
	tried   time.Time
}

func newContests(c clock.PassiveClock) *contests {
	return &contests{clock: c, known: map[types.UID]*contest{}}
}

// try returns the problem of an object that is not as it should be, nil when it
// is not contested, and whether it is time for a write.
func (c *contests) try(uid types.UID) (problem error, write bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	known := c.known[uid]
	if known == nil {
		return nil, true
	}
	now := c.clock.Now()
	if now.Sub(known.tried) < period {
		return known.problem, false
	}
	known.tried = now
	return known.problem, true
}

// begin notes that an object is contested, as of our last write.
func (c *contests) begin(uid types.UID, problem error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.clock.Now()
	for old, known := range c.known {
		if now.Sub(known.tried) > forgotten {
			delete(c.known, old)
		}
	}
	c.known[uid] = &contest{problem: problem, tried: now}
}

// rest returns the problem of an object that is as it should be at the moment:
// nil, unless it was contested until just now.
func (c *contests) rest(uid types.UID) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	known := c.known[uid]
	if known == nil {
		return nil
	}
	if c.clock.Now().Sub(known.tried) < calm {
		return known.problem
	}
	delete(c.known, uid)
	return nil
}

// repair reports whether drift of an object is to be put back now, and what to
// report of it whether or not.
func (t *Target) repair(live, planned client.Object, content map[string]any) (write bool, problem error) {
	uid := live.GetUID()
	if problem, write = t.contests.try(uid); problem != nil {
		return write, problem
	}
	if t.budget.take(uid, writesOf(live, planned)) {
		return true, nil
	}
	problem = &target.ContestedError{Kind: t.kindOf(planned), Name: live.GetName(), Manager: contestant(live, content)}
	t.contests.begin(uid, problem)
	return false, problem
}

// rest says what there is to report of an object whose fields are all ours, and
// whether to write it all the same: a field may have been changed on its way in.
func (t *Target) rest(ctx context.Context, live, planned client.Object, content map[string]any) (write bool, problem error) {
	uid := live.GetUID()
	change := altered(content, live)
	if change == nil {
		return false, t.contests.rest(uid)
	}
	if problem, write := t.contests.try(uid); problem != nil {
		return write, problem
	}
	problem = &target.AlteredError{
		Kind: t.kindOf(planned), Name: live.GetName(), Field: change.field, Want: change.want, Have: change.have,
		Suspects: t.mutators(ctx, planned),
	}
	t.contests.begin(uid, problem)
	return true, problem
}
