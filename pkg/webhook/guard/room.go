package guard

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"
)

// Limits bound the work of one hook. Work is counted in bytes of memory: reviews differ
// by a factor of a thousand.
type Limits struct {
	// Memory bounds the reviews in work at once. One peer may have half of it.
	Memory int64
	// Floor is the weight of the smallest call, so at most Memory/Floor calls run at
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
	queue   int64 // the most that may wait
	waiting atomic.Int64
	// calls are those that use it, guarded by the budget.
	calls int
}

func newRoom(bytes, queue int64) *room {
	return &room{bytes: semaphore.NewWeighted(bytes), queue: queue}
}

func newBudget(l Limits) *budget {
	return &budget{limits: l, all: newRoom(l.Memory, l.Waiting), peers: map[string]*room{}}
}

// acquire waits for room for a call of a peer. It returns the function that releases
// the room, or false if there was none in time.
func (b *budget) acquire(ctx context.Context, from string, memory int64) (release func(), ok bool) {
	// A review of more than half of the room keeps those of other peers out as well.
	weight := min(max(memory, b.limits.Floor), b.limits.Memory)
	ownWeight := min(weight, half(b.limits.Memory))
	own := b.enter(from)
	ctx, cancel := context.WithTimeout(ctx, b.limits.Patience)
	defer cancel()
	if !own.acquire(ctx, ownWeight) {
		b.leave(from, own)
		return nil, false
	}
	if !b.all.acquire(ctx, weight) {
		own.bytes.Release(ownWeight)
		b.leave(from, own)
		return nil, false
	}
	return func() {
		b.all.bytes.Release(weight)
		own.bytes.Release(ownWeight)
		b.leave(from, own)
	}, true
}

// enter returns the room of a peer.
func (b *budget) enter(from string) *room {
	b.mu.Lock()
	defer b.mu.Unlock()
	own := b.peers[from]
	if own == nil {
		own = newRoom(half(b.limits.Memory), half(b.limits.Waiting))
		b.peers[from] = own
	}
	own.calls++
	return own
}

// leave forgets a peer without calls.
func (b *budget) leave(from string, own *room) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if own.calls--; own.calls == 0 {
		delete(b.peers, from)
	}
}

// acquire waits for room unless too many do.
func (r *room) acquire(ctx context.Context, weight int64) bool {
	if r.bytes.TryAcquire(weight) {
		return true
	}
	defer r.waiting.Add(-1)
	return r.waiting.Add(1) <= r.queue && r.bytes.Acquire(ctx, weight) == nil
}

// half is at least one.
func half(n int64) int64 { return max(n/2, 1) }
