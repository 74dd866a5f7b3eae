package compat

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"gati.dev/gati/pkg/schema"
)

const (
	// maxRunning bounds concurrent comparisons: they are CPU-bound and compete with the
	// leader's controllers.
	maxRunning = 4
	// maxPerNamespace leaves room for other namespaces.
	maxPerNamespace = 2
	// maxRemembered bounds the cached reports. At the limit all are dropped, since
	// computing one again takes milliseconds.
	maxRemembered = 1024
	// maxRunTime bounds a comparison on a machine that is too busy to finish its steps.
	maxRunTime = 10 * time.Second
)

// comparison identifies two versions by the hashes of their documents.
type comparison struct {
	old, new [2]schema.Digest
	mode     schema.Mode
}

// flights makes each comparison once, however many callers ask for it.
type flights struct {
	mu         sync.Mutex
	reports    map[comparison]schema.Report
	running    map[comparison]*flight
	namespaces map[string]*slots
	all        *slots
}

// flight is a comparison that runs or waits for a slot. It is dropped when its last
// caller leaves before it runs. A running one continues, because the caller will retry.
type flight struct {
	callers int
	runs    bool
	cancel  context.CancelFunc
	done    chan struct{} // closed when report and err are set
	report  schema.Report
	err     error
}

// slots limits running comparisons; users counts those that run or wait.
type slots struct {
	places chan struct{}
	users  int
}

func newSlots(count int) *slots { return &slots{places: make(chan struct{}, count)} }

func (s *slots) acquire(ctx context.Context) error {
	select {
	case s.places <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *slots) release() { <-s.places }

// compareOnce returns the report of a comparison: from the cache, from a flight under way, or
// from a new flight on behalf of a namespace.
func (f *flights) compareOnce(ctx context.Context, namespace string, key comparison, compare func(context.Context) (schema.Report, error)) (schema.Report, error) {
	f.mu.Lock()
	if report, found := f.reports[key]; found {
		f.mu.Unlock()
		return report, nil
	}
	x := f.running[key]
	if x == nil {
		x = f.startFlight(namespace, key, compare)
	}
	x.callers++
	f.mu.Unlock()
	select {
	case <-x.done:
		return x.report, x.err
	case <-ctx.Done():
		f.leaveFlight(key, x)
		return schema.Report{}, ctx.Err()
	}
}

// startFlight begins a comparison. The caller holds the lock.
func (f *flights) startFlight(namespace string, key comparison, compare func(context.Context) (schema.Report, error)) *flight {
	if f.running == nil {
		f.running, f.namespaces, f.all = map[comparison]*flight{}, map[string]*slots{}, newSlots(maxRunning)
	}
	own := f.namespaces[namespace]
	if own == nil {
		own = newSlots(maxPerNamespace)
		f.namespaces[namespace] = own
	}
	own.users++
	// The flight must outlive the caller that started it while other callers wait for
	// it.
	ctx, cancel := context.WithCancel(context.Background())
	x := &flight{cancel: cancel, done: make(chan struct{})}
	f.running[key] = x
	go func() {
		defer cancel()
		x.report, x.err = f.inTurn(ctx, x, own, compare)
		f.finishFlight(namespace, key, x)
	}()
	return x
}

// inTurn runs the comparison once both the namespace and the process have a free slot.
func (f *flights) inTurn(ctx context.Context, x *flight, own *slots, compare func(context.Context) (schema.Report, error)) (report schema.Report, err error) {
	if err := own.acquire(ctx); err != nil {
		return schema.Report{}, err
	}
	defer own.release()
	if err := f.all.acquire(ctx); err != nil {
		return schema.Report{}, err
	}
	defer f.all.release()
	f.mu.Lock()
	x.runs = ctx.Err() == nil
	f.mu.Unlock()
	if !x.runs {
		return schema.Report{}, ctx.Err() // It got a slot just after its last caller left.
	}
	ctx, cancel := context.WithTimeout(ctx, maxRunTime)
	defer cancel()
	defer func() {
		if p := recover(); p != nil { // No server recovers panics in this goroutine.
			err = fmt.Errorf("the comparison panicked: %v\n%s", p, debug.Stack())
		}
	}()
	return compare(ctx)
}

func (f *flights) finishFlight(namespace string, key comparison, x *flight) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.running[key] == x {
		delete(f.running, key)
	}
	if own := f.namespaces[namespace]; own.users == 1 {
		delete(f.namespaces, namespace)
	} else {
		own.users--
	}
	if x.err == nil {
		f.cacheReport(key, x.report)
	}
	close(x.done)
}

func (f *flights) cacheReport(key comparison, report schema.Report) {
	if f.reports == nil || len(f.reports) == maxRemembered {
		f.reports = map[comparison]schema.Report{}
	}
	f.reports[key] = report
}

// leaveFlight drops a comparison that waits for a slot and has no callers left.
func (f *flights) leaveFlight(key comparison, x *flight) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if x.callers--; x.callers == 0 && !x.runs {
		x.cancel()
		if f.running[key] == x {
			delete(f.running, key)
		}
	}
}
