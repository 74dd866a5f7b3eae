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
		before, now heapUse
		want        bool
	}{
		"after a burst":                {heapUse{Allocated: 900 * mb}, heapUse{Allocated: 901 * mb, Live: 70 * mb, Held: 150 * mb}, true},
		"in a burst":                   {heapUse{Allocated: 900 * mb}, heapUse{Allocated: 990 * mb, Live: 70 * mb, Held: 150 * mb}, false},
		"a small heap with nothing":    {heapUse{}, heapUse{Live: 10 * mb, Held: 17 * mb}, false},
		"a small heap with something":  {heapUse{}, heapUse{Live: 10 * mb, Held: 18 * mb}, true},
		"a large heap with little":     {heapUse{}, heapUse{Live: 600 * mb, Held: 700 * mb}, false},
		"a large heap with enough":     {heapUse{}, heapUse{Live: 600 * mb, Held: 750 * mb}, true},
		"all that is held is in use":   {heapUse{}, heapUse{Live: 70 * mb, Held: 70 * mb}, false},
		"live of before, less is held": {heapUse{}, heapUse{Live: 70 * mb, Held: 60 * mb}, false},
	} {
		if got := c.now.isWorthReturning(c.before); got != c.want {
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
	before := m.read()
	ended := make(chan error)
	go func() { ended <- m.Start(ctx) }()
	for !ticks.HasWaiters() {
		runtime.Gosched()
	}
	ticks.Step(memoryInterval)
	select {
	case <-returned:
	case <-time.After(time.Minute):
		t.Fatalf("nothing was returned of %+v", before)
	}
	if after := readHeap(); after.Held > before.Held-garbage/2 {
		t.Errorf("the heap holds %d bytes after %d, want some %d less", after.Held, before.Held, garbage)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
