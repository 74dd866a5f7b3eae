package kubernetes

import (
	"cmp"
	"context"
	"maps"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"gati.dev/gati/pkg/target"
)

// calmPeriod is for how long an object has to stay as it is after our last write, for a
// contest to be over: another writer may need a moment.
const calmPeriod = repairPeriod / 2

// forgetAfter is how long an unused contest is kept.
const forgetAfter = time.Hour

// contests remembers the objects that another manager keeps changing back. While it
// lasts, one write a period tries whether it is over, and the problem stands in
// between: it must not come and go with each try. A lost memory, as after a
// restart, costs one more round of repairs.
type contests struct {
	clock clock.PassiveClock
	mu    sync.Mutex
	known map[types.UID]*contest
	sweep sweep
}

type contest struct {
	problem error
	tried   time.Time
	// before is the time of the try before; zero for none.
	before time.Time
}

func newContests(c clock.PassiveClock) *contests {
	return &contests{clock: c, known: map[types.UID]*contest{}, sweep: sweep{every: repairPeriod}}
}

// tryAgain returns the problem of an object that is not as it should be, nil when it
// is not contested, and whether it is time for a write.
func (c *contests) tryAgain(uid types.UID) (problem error, write bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	known := c.known[uid]
	if known == nil {
		return nil, true
	}
	now := c.clock.Now()
	if now.Sub(known.tried) < repairPeriod {
		return known.problem, false
	}
	known.before, known.tried = known.tried, now
	return known.problem, true
}

// giveBack drops a try since then, and a contest that began with it.
func (c *contests) giveBack(uid types.UID, since time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	known := c.known[uid]
	switch {
	case known == nil || known.tried.Before(since):
	case known.before.IsZero():
		delete(c.known, uid)
	default:
		known.tried = known.before
	}
}

// beginContest notes that an object is contested, as of our last write.
func (c *contests) beginContest(uid types.UID, problem error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.clock.Now()
	if c.sweep.isDue(now) {
		maps.DeleteFunc(c.known, func(_ types.UID, known *contest) bool { return now.Sub(known.tried) > forgetAfter })
	}
	c.known[uid] = &contest{problem: problem, tried: now}
}

// problemOf returns the problem of an object that is contested, nil for another one.
func (c *contests) problemOf(uid types.UID) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if known := c.known[uid]; known != nil {
		return known.problem
	}
	return nil
}

// endContest returns the problem of an object that is as it should be at the moment:
// nil, unless it was contested until just now.
func (c *contests) endContest(uid types.UID) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	known := c.known[uid]
	if known == nil {
		return nil
	}
	if c.clock.Now().Sub(known.tried) < calmPeriod {
		return known.problem
	}
	delete(c.known, uid)
	return nil
}

// repairDrift reports whether drift of an object is to be put back now, and what to
// report of it whether or not.
func (t *Target) repairDrift(ctx context.Context, live, planned client.Object, content map[string]any) (write bool, problem error) {
	uid := live.GetUID()
	if problem, write = t.contests.tryAgain(uid); problem != nil {
		return write, problem
	}
	// An autoscaler comes back four times a minute, which is no more than the budget has.
	scaler := t.findScaler(ctx, live, planned)
	if scaler == "" && t.budget.spendWrites(uid, countWrites(live, planned)) {
		return true, nil
	}
	manager := cmp.Or(scaler, findContestant(live, content))
	problem = &target.ContestedError{Kind: t.kindOf(planned), Name: live.GetName(), Manager: manager}
	t.contests.beginContest(uid, problem)
	return false, problem
}

// repairAlteration reports whether an object whose fields are all ours is to be written
// again, since one of them was changed on its way in, and what to report of it whether or not.
func (t *Target) repairAlteration(ctx context.Context, live, planned client.Object, change *alteration) (write bool, problem error) {
	uid := live.GetUID()
	if problem, write := t.contests.tryAgain(uid); problem != nil {
		return write, problem
	}
	problem = &target.AlteredError{
		Kind: t.kindOf(planned), Name: live.GetName(), Field: change.field, Want: change.want, Have: change.have,
		Suspects: t.findMutators(ctx, planned),
	}
	t.contests.beginContest(uid, problem)
	return true, problem
}
