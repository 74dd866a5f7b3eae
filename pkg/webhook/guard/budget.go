package guard

import (
	"context"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"
)

// Limits bound the work of one hook. Work is counted in bytes of request bodies:
// memory and time depend on them, and they differ by a factor of a thousand.
type Limits struct {
	// Bytes bounds the bodies in work at once.
	Bytes int64
	// Floor is the weight of the smallest call, so at most Bytes/Floor calls run at
	// once.
	Floor int64
	// Body is the largest body that is read.
	Body int64
	// Waiting bounds the calls that wait for room, each for at most Patience.
	Waiting  int64
	Patience time.Duration
}

// budget grants room within Limits.
type budget struct {
	limits  Limits
	room    *semaphore.Weighted
	waiting atomic.Int64
}

func newBudget(l Limits) *budget {
	return &budget{limits: l, room: semaphore.NewWeighted(l.Bytes)}
}

// acquire waits for room for a body of the length, -1 if unknown. It returns the
// function that releases the room, or false if there was none in time.
func (b *budget) acquire(ctx context.Context, length int64) (func(), bool) {
	weight := b.weightOf(length)
	if b.room.TryAcquire(weight) {
		return func() { b.room.Release(weight) }, true
	}
	if b.waiting.Add(1) > b.limits.Waiting {
		b.waiting.Add(-1)
		return nil, false
	}
	defer b.waiting.Add(-1)
	ctx, cancel := context.WithTimeout(ctx, b.limits.Patience)
	defer cancel()
	if b.room.Acquire(ctx, weight) != nil {
		return nil, false
	}
	return func() { b.room.Release(weight) }, true
}

func (b *budget) weightOf(length int64) int64 {
	if length < 0 {
		length = b.limits.Body
	}
	return min(max(length, b.limits.Floor), b.limits.Bytes)
}
