package cluster

import (
	"context"
	"sync"
	"time"

	"k8s.io/client-go/tools/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"gati.dev/gati/pkg/status"
)

const (
	// pace is the least time between two snapshots: bursts become one.
	pace = 100 * time.Millisecond
	// refresh is how often a snapshot is built although nothing was reported:
	// some findings only need time to pass.
	refresh = 5 * time.Second
)

// Feed delivers a snapshot of a scope each time the scope changes.
type Feed struct {
	// Snapshots is closed when the context ends, or the feed has failed.
	Snapshots <-chan status.Snapshot
	err       error
}

// Err returns the reason why the feed has failed. It may be called once Snapshots is
// closed.
func (f *Feed) Err() error { return f.err }

// Follow sends a snapshot of the scope each time it changes, until the context
// ends. The kinds of names must be known; when the object of one is gone,
// the snapshots lack it. What cannot be read is named in the snapshots and tried
// again: the feed fails only when the handlers and modules themselves could not be
// read for as long as patience.
func Follow(ctx context.Context, c client.WithWatch, s Scope, patience time.Duration, now func() time.Time) (*Feed, error) {
	return startFeed(ctx, &feed{scope: s, patience: patience}, c, now)
}

// Live is Follow for the live view: it does not wait until everything was read, names
// unread lists, and never gives up.
func Live(ctx context.Context, c client.WithWatch, s Scope, patience time.Duration, now func() time.Time) (*Feed, error) {
	return startFeed(ctx, &feed{scope: s, patience: patience, live: true}, c, now)
}

func startFeed(ctx context.Context, f *feed, c client.WithWatch, now func() time.Time) (*Feed, error) {
	owners, err := f.scope.ownerSources()
	if err != nil {
		return nil, err
	}
	f.changed = make(chan struct{}, 1)
	snapshots := make(chan status.Snapshot)
	out := &Feed{Snapshots: snapshots}
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	for _, s := range append(owners, f.scope.ownedSources()...) {
		m := &mirror{Store: cache.NewStore(cache.MetaNamespaceKeyFunc), source: s, c: c, patience: f.patience, live: f.live, changed: f.changed}
		f.mirrors = append(f.mirrors, m)
		running.Go(func() { m.run(ctx) })
	}
	go func() {
		defer close(snapshots)
		out.err = f.sendSnapshots(ctx, snapshots, now)
		cancel()
		running.Wait()
	}()
	return out, nil
}

// feed makes snapshots of its mirrors.
type feed struct {
	scope    Scope
	patience time.Duration
	live     bool
	mirrors  []*mirror
	changed  chan struct{}
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
		case <-f.changed:
		}
		if err := f.lostConnection(); err != nil && !f.live {
			return err
		}
		if objs, complete := f.collectObjects(); complete {
			select {
			case <-ctx.Done():
				return nil
			case out <- status.Build(objs, now()):
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(pace):
		}
	}
}

// lostConnection returns why handlers or modules cannot be read, once that has been so for
// as long as patience: without them there is nothing to follow.
func (f *feed) lostConnection() error {
	for _, m := range f.mirrors {
		if err := m.unreadableError(f.patience); err != nil && m.holdsOwners() {
			return Explain(err)
		}
	}
	return nil
}

// collectObjects returns the objects of all mirrors, and whether every source has been
// tried: until then a handler may lack its pods. For the live view, the handlers and
// modules themselves are enough, and untried sources are named.
func (f *feed) collectObjects() (objs status.Objects, complete bool) {
	objs.Namespace = f.scope.Namespace
	complete = true
	for _, m := range f.mirrors {
		complete = m.addTo(&objs, f.live) && complete
	}
	f.scope.dropUnselected(&objs)
	return objs, complete
}
