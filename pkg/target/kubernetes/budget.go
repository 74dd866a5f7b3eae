package kubernetes

import (
	"maps"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/clock"
)

const (
	// repairs is how many writes within a period put back drift of one object. A
	// writer that undoes more than that is not going to stop.
	maxRepairs   = 5
	repairPeriod = time.Minute
)

// budget counts the writes that put back drift, per object. A lost count, as after a
// restart, costs at most one more period of repairs.
type budget struct {
	clock clock.PassiveClock
	mu    sync.Mutex
	spent map[types.UID][]time.Time
	sweep sweep
}

func newBudget(c clock.PassiveClock) *budget {
	return &budget{clock: c, spent: map[types.UID][]time.Time{}, sweep: sweep{every: repairPeriod}}
}

// spendWrites reports whether one more repair of an object is allowed, and counts the writes
// that it takes.
func (b *budget) spendWrites(uid types.UID, writes int) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.clock.Now()
	if b.sweep.isDue(now) {
		maps.DeleteFunc(b.spent, func(_ types.UID, times []time.Time) bool { return len(withinPeriod(times, now)) == 0 })
	}
	spent := withinPeriod(b.spent[uid], now)
	if len(spent)+writes > maxRepairs {
		return false
	}
	for range writes {
		spent = append(spent, now)
	}
	b.spent[uid] = spent
	return true
}

// giveBack drops the writes that were counted for an object since then.
func (b *budget) giveBack(uid types.UID, since time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if spent, found := b.spent[uid]; found {
		b.spent[uid] = slices.DeleteFunc(spent, func(at time.Time) bool { return !at.Before(since) })
	}
}

// withinPeriod returns the times that lie within the last period.
func withinPeriod(times []time.Time, now time.Time) []time.Time {
	for len(times) > 0 && now.Sub(times[0]) >= repairPeriod {
		times = times[1:]
	}
	return times
}
