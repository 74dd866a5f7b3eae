package guard

import (
	"context"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"
)

// Limits bound what one hook takes on. Work is counted in bytes of request
// bodies: they are what memory and time go to, and they differ a thousandfold.
type Limits struct {
	// Bytes is how much may be worked on at once.
	Bytes int64
	// Floor is what the smallest call counts as, so Bytes/Floor calls run at
	// once at most.
	Floor int64
	// Body is the largest body that is read.
	Body int64
	// Waiting is how many calls may wait for room, each for Patience.
	Waiting  int64
	Patience time.Duration
}

// budget hands out room within Limits.
type budget struct {
	limits  Limits
	room    *semaphore.Weighted
	waiting atomic.Int64
}

func newBudget(l Limits) *budget {
	return &budget{limits: l, room: semaphore.NewWeighted(l.Bytes)}
}

// take waits for room for a body of that length, -1 where it is unknown, and
// returns how to give it back; false when there is none.
func (b *budget) take(ctx context.Context, length int64) (func(), bool) {
	weight := b.weight(length)
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

func (b *budget) weight(length int64) int64 {
	if length < 0 {
		length = b.limits.Body
	}
	return min(max(length, b.limits.Floor), b.limits.Bytes)
}
