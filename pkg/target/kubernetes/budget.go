package kubernetes

import (
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
}

func newBudget(c clock.PassiveClock) *budget {
	return &budget{clock: c, spent: map[types.UID][]time.Time{}}
}

// spend reports whether one more repair of an object is allowed, and counts the writes
// that it takes.
func (b *budget) spend(uid types.UID, writes int) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.dropExpired()
	if len(b.spent[uid])+writes > maxRepairs {
		return false
	}
	for range writes {
		b.spent[uid] = append(b.spent[uid], b.clock.Now())
	}
	return true
}

// dropExpired forgets what lies more than a period back, and objects with nothing
// left.
func (b *budget) dropExpired() {
	limit := b.clock.Now().Add(-repairPeriod)
	for uid, times := range b.spent {
		for len(times) > 0 && !times[0].After(limit) {
			times = times[1:]
		}
		if len(times) == 0 {
			delete(b.spent, uid)
			continue
		}
		b.spent[uid] = times
	}
}
