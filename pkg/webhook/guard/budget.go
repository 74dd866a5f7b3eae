package guard

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"
)

// Limits bound the work of one hook. Work is counted in bytes of request bodies:
// memory and time depend on them, and they differ by a factor of a thousand.
type Limits struct {
	// Bytes bounds the bodies in work at once. One peer may have half of them.
	Bytes int64
	// Floor is the weight of the smallest call, so at most Bytes/Floor calls run at
	// once.
	Floor int64
	// Body is the largest body that is read.
	Body int64
	// Waiting bounds the calls that wait for room, each for at most Patience. One peer
	// may have half of them.
	Waiting  int64
	Patience time.Duration
}

// budget grants room within Limits.
type budget struct {
	limits Limits
	all    *room

	mu    sync.Mutex
	peers map[string]*room
}

// room is the room of a hook, or that of one peer in it.
type room struct {
	bytes   *semaphore.Weighted
	waiting atomic.Int64
	// calls are those that use it, guarded by the budget.
	calls int
}

func newBudget(l Limits) *budget {
	return &budget{limits: l, all: &room{bytes: semaphore.NewWeighted(l.Bytes)}, peers: map[string]*room{}}
}

// acquire waits for room for a body of a peer. It returns the function that releases
// the room, or false if there was none in time.
func (b *budget) acquire(ctx context.Context, from string, length int64) (func(), bool) {
	weight := b.weightOf(length)
	own, leave := b.enter(from)
	ctx, cancel := context.WithTimeout(ctx, b.limits.Patience)
	defer cancel()
	if !own.acquire(ctx, weight, half(b.limits.Waiting)) {
		leave()
		return nil, false
	}
	if !b.all.acquire(ctx, weight, b.limits.Waiting) {
		own.bytes.Release(weight)
		leave()
		return nil, false
	}
	return func() {
		b.all.bytes.Release(weight)
		own.bytes.Release(weight)
		leave()
	}, true
}

// enter returns the room of a peer, and the function that leaves it.
func (b *budget) enter(from string) (*room, func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	own := b.peers[from]
	if own == nil {
		own = &room{bytes: semaphore.NewWeighted(half(b.limits.Bytes))}
		b.peers[from] = own
	}
	own.calls++
	return own, func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		if own.calls--; own.calls == 0 {
			delete(b.peers, from)
		}
	}
}

// acquire waits for room unless too many do.
func (r *room) acquire(ctx context.Context, weight, maxWaiting int64) bool {
	if r.bytes.TryAcquire(weight) {
		return true
	}
	defer r.waiting.Add(-1)
	if r.waiting.Add(1) > maxWaiting {
		return false
	}
	return r.bytes.Acquire(ctx, weight) == nil
}

func (b *budget) weightOf(length int64) int64 {
	return min(max(length, b.limits.Floor), half(b.limits.Bytes))
}

// half is at least one.
func half(n int64) int64 { return max(n/2, 1) }
