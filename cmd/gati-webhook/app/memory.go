package app

import (
	"context"
	"runtime/debug"
	"runtime/metrics"
	"time"

	"k8s.io/utils/clock"
)

// A burst of work leaves garbage of twice the memory of its objects, which the runtime
// keeps for reuse. A resting process returns it to the system.
const (
	memoryInterval = 2 * time.Second
	// restingAllocation is the most that a process allocates in an interval while it only
	// renews its Lease, answers probes and checks its hooks.
	restingAllocation = 4 << 20
	// With less garbage a collection is not worth its CPU.
	minGarbage = 8 << 20
)

// heapUse is the runtime's figures of its heap, in bytes.
type heapUse struct {
	// Allocated is all since the start.
	Allocated uint64
	// Live was in use at the last collection.
	Live uint64
}

// isWorthReturning reports whether a process rests, and has allocated much since memory was
// last returned. A collection costs by what lives, so a large heap waits until there is more
// to gain.
func (u heapUse) isWorthReturning(before, returned heapUse) bool {
	isResting := u.Allocated-before.Allocated <= restingAllocation
	return isResting && u.Allocated-returned.Allocated >= max(minGarbage, u.Live/4)
}

// memoryReturner returns memory to the system while the process rests.
type memoryReturner struct {
	clock    clock.WithTicker
	giveBack func()
}

func newMemoryReturner() *memoryReturner {
	return &memoryReturner{clock: clock.RealClock{}, giveBack: debug.FreeOSMemory}
}

// Start looks in each interval until the context ends.
func (m *memoryReturner) Start(ctx context.Context) error {
	ticker := m.clock.NewTicker(memoryInterval)
	defer ticker.Stop()
	before, returned := readHeap(), heapUse{}
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C():
		}
		now := readHeap()
		if now.isWorthReturning(before, returned) {
			m.giveBack()
			now = readHeap()
			returned = now
		}
		before = now
	}
}

// readHeap reads runtime/metrics.
func readHeap() heapUse {
	samples := []metrics.Sample{
		{Name: "/gc/heap/allocs:bytes"},
		{Name: "/gc/heap/live:bytes"},
	}
	metrics.Read(samples)
	return heapUse{Allocated: samples[0].Value.Uint64(), Live: samples[1].Value.Uint64()}
}
