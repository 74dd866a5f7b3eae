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
	size, queue int64 // the most that is in work, and that waits
	bytes       *semaphore.Weighted
	waiting     atomic.Int64
	// calls are those that use it, guarded by the budget.
	calls int
}

func newRoom(size, queue int64) *room {
	return &room{size: size, queue: queue, bytes: semaphore.NewWeighted(size)}
}

func newBudget(l Limits) *budget {
	return &budget{limits: l, all: newRoom(l.Memory, l.Waiting), peers: map[string]*room{}}
}

// acquire waits for room for a call, in that of its peer first. It returns the function
// that releases the room, or false if there was none in time. A call of more than a room
// has takes all of it.
func (b *budget) acquire(ctx context.Context, from string, memory int64) (release func(), ok bool) {
	own := b.roomOf(from)
	release = func() { b.leaveRoom(from, own) }
	ctx, cancel := context.WithTimeout(ctx, b.limits.Patience)
	defer cancel()
	for _, r := range []*room{own, b.all} {
		weight, releaseOuter := min(max(memory, b.limits.Floor), r.size), release
		if !r.acquire(ctx, weight) {
			release()
			return nil, false
		}
		release = func() {
			r.bytes.Release(weight)
			releaseOuter()
		}
	}
	return release, true
}

// roomOf returns the room of a peer.
func (b *budget) roomOf(from string) *room {
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

// leaveRoom forgets a peer without calls.
func (b *budget) leaveRoom(from string, own *room) {
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
