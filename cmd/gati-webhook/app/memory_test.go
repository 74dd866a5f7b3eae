package app

import (
	"context"
	"runtime"
	"testing"
	"time"

	clocktesting "k8s.io/utils/clock/testing"
)

func TestIsWorthReturning(t *testing.T) {
	const mb = 1 << 20
	for name, c := range map[string]struct {
		before, returned, now heapUse
		want                  bool
	}{
		"after a burst":             {heapUse{Allocated: 900 * mb}, heapUse{Allocated: 20 * mb}, heapUse{Allocated: 901 * mb, Live: 70 * mb}, true},
		"in a burst":                {heapUse{Allocated: 900 * mb}, heapUse{Allocated: 20 * mb}, heapUse{Allocated: 990 * mb, Live: 70 * mb}, false},
		"once it has been returned": {heapUse{Allocated: 900 * mb}, heapUse{Allocated: 900 * mb}, heapUse{Allocated: 901 * mb, Live: 70 * mb}, false},
		"a small heap soon":         {heapUse{Allocated: 907 * mb}, heapUse{Allocated: 900 * mb}, heapUse{Allocated: 908 * mb, Live: 10 * mb}, true},
		"a large heap not yet":      {heapUse{Allocated: 960 * mb}, heapUse{Allocated: 900 * mb}, heapUse{Allocated: 961 * mb, Live: 600 * mb}, false},
		"a large heap later":        {heapUse{Allocated: 1200 * mb}, heapUse{Allocated: 900 * mb}, heapUse{Allocated: 1201 * mb, Live: 600 * mb}, true},
		"what it took to start":     {heapUse{Allocated: 30 * mb}, heapUse{}, heapUse{Allocated: 31 * mb, Live: 10 * mb}, true},
		"a start that took nothing": {heapUse{}, heapUse{}, heapUse{Allocated: 4 * mb}, false},
	} {
		if got := c.now.isWorthReturning(c.before, c.returned); got != c.want {
			t.Errorf("%s: %t, want %t", name, got, c.want)
		}
	}
}

// TestMemoryIsReturned leaves garbage behind and lets an interval pass.
func TestMemoryIsReturned(t *testing.T) {
	const garbage = 64 << 20
	ctx, cancel := context.WithCancel(t.Context())
	ticks := clocktesting.NewFakeClock(time.Now())
	m := newMemoryReturner()
	m.clock = ticks
	returned := make(chan struct{}, 1)
	giveBack := m.giveBack
	m.giveBack = func() {
		giveBack()
		returned <- struct{}{}
	}
	runtime.KeepAlive(make([]byte, garbage))
	before := readHeld()
	ended := make(chan error)
	go func() { ended <- m.Start(ctx) }()
	for !ticks.HasWaiters() {
		runtime.Gosched()
	}
	ticks.Step(memoryInterval)
	select {
	case <-returned:
	case <-time.After(time.Minute):
		t.Fatalf("nothing was returned of %d bytes", before)
	}
	if after := readHeld(); after > before-garbage/2 {
		t.Errorf("the heap holds %d bytes after %d, want some %d less", after, before, garbage)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// readHeld returns what the system has given to the heap.
func readHeld() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapSys - m.HeapReleased
}
