package compat

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"gati.dev/gati/pkg/schema"
)

// patience is how long a test waits for what should be immediate.
const patience = time.Minute

func pair(n int) comparison { return comparison{mode: schema.Mode(fmt.Sprint(n))} }

// blocked is a comparison that reports its start and waits for the test.
type blocked struct{ started, leave chan struct{} }

func newBlocked() blocked {
	return blocked{started: make(chan struct{}, 100), leave: make(chan struct{})}
}

func (b blocked) compare(ctx context.Context) (schema.Report, error) {
	b.started <- struct{}{}
	select {
	case <-b.leave:
		return schema.Report{Breaking: true}, nil
	case <-ctx.Done():
		return schema.Report{}, ctx.Err()
	}
}

func await(t *testing.T, what string, c <-chan struct{}) {
	t.Helper()
	select {
	case <-c:
	case <-time.After(patience):
		t.Fatal("never happened:", what)
	}
}

func TestOneComparisonForAllWhoAsk(t *testing.T) {
	var f flights
	b := newBlocked()
	var all sync.WaitGroup
	for i := range 10 {
		all.Go(func() {
			report, err := f.compareOnce(t.Context(), fmt.Sprint("namespace", i), pair(1), b.compare)
			if err != nil || !report.Breaking {
				t.Errorf("got %v, %v", report, err)
			}
		})
	}
	await(t, "the comparison starts", b.started)
	for f.callersOf(pair(1)) < 10 {
		runtime.Gosched()
	}
	close(b.leave)
	all.Wait()
	if report, err := f.compareOnce(t.Context(), "later", pair(1), b.compare); err != nil || !report.Breaking {
		t.Errorf("got %v, %v", report, err)
	}
	if len(b.started) > 0 {
		t.Errorf("the pair was compared %d times more", len(b.started))
	}
	if len(f.running)+len(f.namespaces) > 0 {
		t.Errorf("left over: %v %v", f.running, f.namespaces)
	}
}

func (f *flights) callersOf(key comparison) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	if x := f.running[key]; x != nil {
		return x.callers
	}
	return 0
}

func TestANamespaceLeavesRoomForOthers(t *testing.T) {
	var f flights
	b := newBlocked()
	var all sync.WaitGroup
	for i := range 2 * maxRunning {
		all.Go(func() {
			if _, err := f.compareOnce(t.Context(), "hostile", pair(i), b.compare); err != nil {
				t.Error(err)
			}
		})
	}
	for range maxPerNamespace {
		await(t, "a hostile comparison starts", b.started)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if _, err := f.compareOnce(ctx, "other", pair(100), func(context.Context) (schema.Report, error) { return schema.Report{}, nil }); err != nil {
		t.Errorf("another namespace waits: %v", err)
	}
	if len(b.started) > 0 {
		t.Errorf("%d comparisons of one namespace run beyond %d", len(b.started), maxPerNamespace)
	}
	close(b.leave)
	all.Wait()
}

func TestARunningComparisonIsFinishedForTheNextCaller(t *testing.T) {
	var f flights
	b := newBlocked()
	ctx, cancel := context.WithCancel(t.Context())
	answered := make(chan error, 1)
	go func() {
		_, err := f.compareOnce(ctx, "shop", pair(1), b.compare)
		answered <- err
	}()
	await(t, "the comparison starts", b.started)
	cancel()
	if err := <-answered; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	close(b.leave)
	if report, err := f.compareOnce(t.Context(), "shop", pair(1), b.compare); err != nil || !report.Breaking {
		t.Errorf("got %v, %v", report, err)
	}
	if len(b.started) > 0 {
		t.Error("the work of a caller that left was lost")
	}
}

func TestAComparisonThatNobodyWaitsForDoesNotRun(t *testing.T) {
	var f flights
	b := newBlocked()
	var all sync.WaitGroup
	for i := range maxPerNamespace {
		all.Go(func() { _, _ = f.compareOnce(t.Context(), "shop", pair(i), b.compare) })
	}
	for range maxPerNamespace {
		await(t, "a comparison starts", b.started)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := f.compareOnce(ctx, "shop", pair(100), b.compare); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	close(b.leave)
	all.Wait()
	for f.users("shop") > 0 {
		runtime.Gosched()
	}
	if len(b.started) > 0 {
		t.Error("it was compared")
	}
}

func (f *flights) users(namespace string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	if own := f.namespaces[namespace]; own != nil {
		return own.users
	}
	return 0
}

func TestAPanicIsAnError(t *testing.T) {
	var f flights
	_, err := f.compareOnce(t.Context(), "shop", pair(1), func(context.Context) (schema.Report, error) { panic("out of order") })
	if err == nil || !strings.Contains(err.Error(), "out of order") {
		t.Errorf("got %v", err)
	}
}
