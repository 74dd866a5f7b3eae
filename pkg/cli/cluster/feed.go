package cluster

import (
	"context"
	"sync"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"gati.dev/gati/pkg/status"
)

const (
	// pace is the least time between two snapshots: bursts become one.
	pace = 100 * time.Millisecond
	// refresh is how often a snapshot is built although nothing was reported:
	// some findings only need time to pass.
	refresh = 5 * time.Second
	// retry is how long to wait before a list that ended is read again.
	retry = time.Second
)

// Follow sends the state of one handler or module each time it changes, until
// the context ends; then it closes the channel. The kind of ref must be known.
// When the object is gone, a snapshot is empty. What cannot be read is named in
// the snapshots and tried again.
func Follow(ctx context.Context, c client.WithWatch, namespace string, ref Ref, now func() time.Time) <-chan status.Snapshot {
	sources := sourcesOf(namespace, ref)
	f := &feed{c: c, store: newStore(namespace, len(sources))}
	out := make(chan status.Snapshot)
	var running sync.WaitGroup
	for _, s := range sources {
		running.Go(func() { f.loop(ctx, s) })
	}
	go func() {
		defer close(out)
		f.emit(ctx, out, now)
		running.Wait()
	}()
	return out
}

// feed keeps a store up to date.
type feed struct {
	c     client.WithWatch
	store *store
}

// emit builds a snapshot after each change, and sends at most one per pace.
func (f *feed) emit(ctx context.Context, out chan<- status.Snapshot, now func() time.Time) {
	ticks := time.NewTicker(refresh)
	defer ticks.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
		case <-f.store.changed:
		}
		if objs, complete := f.store.objects(); complete {
			select {
			case <-ctx.Done():
				return
			case out <- status.Build(objs, now()):
			}
		}
		if !sleep(ctx, pace) {
			return
		}
	}
}

// sleep waits, and tells whether the context still goes on.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
