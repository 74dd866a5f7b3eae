package cluster

import (
	"context"
	"errors"
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
	// silence is the time without an answer after which the live view says so.
	silence = 5 * time.Second
)

// errSilent tells of a server that has taken a request and not answered so far.
var errSilent = errors.New("the server does not answer")

// Feed delivers a snapshot of a scope each time the scope changes.
type Feed struct {
	// Snapshots is closed when the context ends, or the feed has failed.
	Snapshots <-chan status.Snapshot
	err       error
}

// Err says why the feed has failed. It may be asked once Snapshots is closed.
func (f *Feed) Err() error { return f.err }

// Follow sends a snapshot of the scope each time it changes, until the context
// ends. The kinds of names must be known; when the object of one is gone,
// the snapshots lack it. What cannot be read is named in the snapshots and tried
// again: the feed fails only when the handlers and modules themselves could not be
// read for as long as patience.
func Follow(ctx context.Context, c client.WithWatch, s Scope, patience time.Duration, now func() time.Time) (*Feed, error) {
	return startFeed(ctx, &feed{c: c, patience: patience}, s, now)
}

// Live is Follow for the live view: it does not wait until everything was read,
// names what was not, and never gives up.
func Live(ctx context.Context, c client.WithWatch, s Scope, patience time.Duration, now func() time.Time) (*Feed, error) {
	return startFeed(ctx, &feed{c: c, patience: patience, live: true}, s, now)
}

func startFeed(ctx context.Context, f *feed, s Scope, now func() time.Time) (*Feed, error) {
	sources, err := s.sourcesOf()
	if err != nil {
		return nil, err
	}
	f.store = newStore(s, sources)
	snapshots := make(chan status.Snapshot)
	out := &Feed{Snapshots: snapshots}
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	for id, s := range sources {
		running.Go(func() { f.followSource(ctx, id, s) })
	}
	go func() {
		defer close(snapshots)
		out.err = f.sendSnapshots(ctx, snapshots, now)
		cancel()
		running.Wait()
	}()
	return out, nil
}

// feed keeps a store up to date.
type feed struct {
	c        client.WithWatch
	store    *store
	patience time.Duration
	live     bool
}

// sendSnapshots builds a snapshot after each change, and sends at most one per pace.
func (f *feed) sendSnapshots(ctx context.Context, out chan<- status.Snapshot, now func() time.Time) error {
	ticks := time.NewTicker(refresh)
	defer ticks.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticks.C:
		case <-f.store.changed:
		}
		if err := f.store.lostConnection(f.patience); err != nil && !f.live {
			return err
		}
		if objs, complete := f.store.collectObjects(f.live); complete {
			select {
			case <-ctx.Done():
				return nil
			case out <- status.Build(objs, now()):
			}
		}
		if !sleepFor(ctx, pace) {
			return nil
		}
	}
}

// sleepFor waits, and reports whether the context still goes on.
func sleepFor(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
