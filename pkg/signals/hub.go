package signals

import (
	"context"
	"slices"
	"sync"
	"time"

	"k8s.io/utils/clock"
)

// Ask is a subject and how often somebody wants to know.
type Ask struct {
	Subject
	Every time.Duration
}

// Owner is whose workloads are measured.
type Owner struct{ Namespace, Name string }

// Hub asks the sources in rounds and keeps the last readings. All that is due at a
// moment is asked for at once, so that the number of requests depends on time and on
// the number of sources, not on how many versions there are.
type Hub struct {
	sources []Source
	clock   clock.PassiveClock
	// measured is called after a round with those whose workloads were in it.
	measured func(context.Context, Owner)

	mu     sync.Mutex
	wanted map[Owner]map[string]Ask
	last   map[Key]Reading
	dueAt  map[Key]time.Time
	wake   chan struct{}
	rounds int
}

// NewHub returns a hub that asks nobody until Start.
func NewHub(now clock.PassiveClock, measured func(context.Context, Owner), sources ...Source) *Hub {
	return &Hub{
		sources: sources, clock: now, measured: measured,
		wanted: map[Owner]map[string]Ask{}, last: map[Key]Reading{}, dueAt: map[Key]time.Time{}, wake: make(chan struct{}, 1),
	}
}

// Configured reports whether there is a source at all.
func (h *Hub) Configured() bool { return h != nil && len(h.sources) > 0 }

// Names says what measures.
func (h *Hub) Names() string {
	var out string
	for _, s := range h.sources {
		out = joined("+", out, s.Name())
	}
	return out
}

// Want says which workloads of an owner somebody wants to know about from now on, and
// forgets the others.
func (h *Hub) Want(of Owner, asks []Ask) {
	if !h.Configured() {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	before := h.wanted[of]
	now := map[string]Ask{}
	for _, a := range asks {
		now[a.Workload] = a
		if due, known := h.dueAt[a.Key]; !known || due.After(h.clock.Now().Add(a.Every)) {
			h.dueAt[a.Key] = h.next(a)
		}
	}
	for workload, a := range before {
		if _, still := now[workload]; !still {
			delete(h.last, a.Key)
			delete(h.dueAt, a.Key)
		}
	}
	if h.wanted[of] = now; len(now) == 0 {
		delete(h.wanted, of)
		return
	}
	select {
	case h.wake <- struct{}{}:
	default:
	}
}

// next is when a subject is due: at a multiple of its interval, so that those with
// the same interval are due together; at once where nothing is known yet.
func (h *Hub) next(a Ask) time.Time {
	now := h.clock.Now()
	if _, known := h.last[a.Key]; !known {
		return now
	}
	return now.Truncate(a.Every).Add(a.Every)
}

// Read returns the last reading of a workload. There is none before the first round,
// nor for what nobody wants.
func (h *Hub) Read(k Key) (Reading, bool) {
	if !h.Configured() {
		return Reading{}, false
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	r, ok := h.last[k]
	return r, ok
}

// NeedLeaderElection keeps the hub to the replica that decides.
func (h *Hub) NeedLeaderElection() bool { return true }

const (
	// idle is how long a hub sleeps that has nothing to do.
	idle = time.Minute
	// shortest is the time between two rounds.
	shortest = 500 * time.Millisecond
)

// Start measures until the context ends.
func (h *Hub) Start(ctx context.Context) error {
	timer := time.NewTimer(0)
	defer timer.Stop()
	var last time.Time
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-h.wake:
			// Others may want something in this moment: one round for all.
			timer.Reset(min(h.sleep(), max(0, shortest-time.Since(last))))
		case <-timer.C:
			h.Round(ctx)
			last = time.Now()
			timer.Reset(h.sleep())
		}
	}
}

// sleep is how long nothing is due.
func (h *Hub) sleep() time.Duration {
	h.mu.Lock()
	defer h.mu.Unlock()
	out := idle
	for _, due := range h.dueAt {
		out = min(out, due.Sub(h.clock.Now()))
	}
	return max(shortest, out)
}

// Round measures what is due, and tells whose it was.
func (h *Hub) Round(ctx context.Context) {
	now := h.clock.Now()
	due := h.due(now)
	if len(due) == 0 {
		return
	}
	readings := h.measure(ctx, now, due)
	owners := h.keep(now, due, readings)
	if h.measured == nil {
		return
	}
	for _, of := range owners {
		h.measured(ctx, of)
	}
}

// due returns the asks whose time has come, in the order of their names.
func (h *Hub) due(now time.Time) []Ask {
	h.mu.Lock()
	defer h.mu.Unlock()
	var out []Ask
	for _, asks := range h.wanted {
		for _, a := range asks {
			if h.dueAt[a.Key].After(now) {
				continue
			}
			if last, ok := h.last[a.Key]; ok && last.Traffic.Known && last.Traffic.At.After(a.Since) {
				a.Since = last.Traffic.At
			}
			out = append(out, a)
		}
	}
	slices.SortFunc(out, func(a, b Ask) int { return compare(a.Key, b.Key) })
	return out
}

// measure asks every source at the same time, and puts together what they say.
func (h *Hub) measure(ctx context.Context, now time.Time, due []Ask) []map[Key]Reading {
	subjects := make([]Subject, len(due))
	for i, a := range due {
		subjects[i] = a.Subject
	}
	out := make([]map[Key]Reading, len(h.sources))
	var group sync.WaitGroup
	for i, source := range h.sources {
		group.Go(func() { out[i] = source.Measure(ctx, now, subjects) })
	}
	group.Wait()
	return out
}

// keep remembers the readings, and returns whose they are.
func (h *Hub) keep(now time.Time, due []Ask, readings []map[Key]Reading) []Owner {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.rounds++
	var owners []Owner
	for _, a := range due {
		of := Owner{a.Namespace, a.Handler}
		if _, still := h.wanted[of][a.Workload]; !still {
			continue
		}
		h.last[a.Key] = lasting(h.last[a.Key], together(a.Key, readings))
		h.dueAt[a.Key] = now.Truncate(a.Every).Add(a.Every)
		if !slices.Contains(owners, of) {
			owners = append(owners, of)
		}
	}
	return owners
}
