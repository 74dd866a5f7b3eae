package signals

import (
	"cmp"
	"context"
	"hash/fnv"
	"maps"
	"slices"
	"sync"
	"time"

	"k8s.io/utils/clock"
)

// Ask is a subject and the interval of its measurements.
type Ask struct {
	Subject
	Every time.Duration
}

// Owner is the handler whose workloads are measured.
type Owner struct{ Namespace, Name string }

// Hub asks the sources in rounds and keeps the last readings. All due subjects share one
// round. The workloads of an owner have the same turn in an interval, and owners spread
// over it: the sources are never asked about all of them at once.
type Hub struct {
	sources []Source
	// reporter reads the transformers of pods where no source does; nil where one does, or
	// where nothing is to read them.
	reporter Source
	clock    clock.PassiveClock
	// onMeasured is called after a round with each owner of a measured workload.
	onMeasured func(context.Context, Owner)

	mu       sync.Mutex
	asks     map[Owner]map[string]Ask
	readings map[Key]Reading
	dueAt    map[Key]time.Time
	// misses counts the probes in a row of a workload whose pods have no metrics so far.
	misses map[Key]int
	// nextDue is when the first subject is due, or earlier.
	nextDue time.Time
	wake    chan struct{}
	rounds  int
}

// NewHub returns a hub that asks no source until Start.
func NewHub(now clock.PassiveClock, measured func(context.Context, Owner), sources ...Source) *Hub {
	return &Hub{
		sources: sources, clock: now, onMeasured: measured,
		asks: map[Owner]map[string]Ask{}, readings: map[Key]Reading{}, dueAt: map[Key]time.Time{}, misses: map[Key]int{}, wake: make(chan struct{}, 1),
	}
}

// ReadReportsWith lets a source read the transformers of pods. Beside that it measures
// nothing unless it is one of the hub's sources.
func (h *Hub) ReadReportsWith(reporter Source) {
	if !slices.Contains(h.sources, reporter) {
		h.reporter = reporter
	}
}

// Configured reports whether there is anything to read.
func (h *Hub) Configured() bool { return h != nil && (len(h.sources) > 0 || h.reporter != nil) }

// IsUnproven reports whether pods are the only source: those of a workload may have no
// metrics.
func (h *Hub) IsUnproven() bool {
	return h != nil && len(h.sources) > 0 && !slices.ContainsFunc(h.sources, func(s Source) bool {
		_, isPods := s.(*Pods)
		return !isPods
	})
}

// Names returns the names of the sources, joined by "+".
func (h *Hub) Names() string {
	var out string
	for _, s := range h.sources {
		out = joinNonEmpty("+", out, s.Name())
	}
	return out
}

// Want sets the workloads of an owner that are measured from now on, and forgets
// its others.
func (h *Hub) Want(of Owner, asks []Ask) {
	if !h.Configured() {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	before := h.asks[of]
	now := map[string]Ask{}
	for _, a := range asks {
		now[a.Workload] = a
		if !a.isProbe() || a.Every != before[a.Workload].Every {
			delete(h.misses, a.Key) // Another decision depends on it now.
		}
		if due, known := h.dueAt[a.Key]; !known || due.After(h.clock.Now().Add(h.readInterval(a))) {
			h.setDue(a.Key, h.firstTurn(a))
		}
	}
	for workload, a := range before {
		if _, still := now[workload]; !still {
			delete(h.readings, a.Key)
			delete(h.dueAt, a.Key)
			delete(h.misses, a.Key)
		}
	}
	if h.asks[of] = now; len(now) == 0 {
		delete(h.asks, of)
		return
	}
	select {
	case h.wake <- struct{}{}:
	default:
	}
}

// firstTurn returns when a subject is due: at once if it has no reading, else in its turn.
func (h *Hub) firstTurn(a Ask) time.Time {
	now := h.clock.Now()
	if _, known := h.readings[a.Key]; !known {
		return now
	}
	return nextTurn(now, a)
}

// maxProbeInterval is the longest time between two probes of pods without metrics.
const maxProbeInterval = time.Hour

// readInterval returns the time between two readings of a subject: each failed probe
// doubles it.
func (h *Hub) readInterval(a Ask) time.Duration {
	out := a.Every
	for range h.misses[a.Key] {
		if out *= 2; out >= maxProbeInterval {
			return max(a.Every, maxProbeInterval)
		}
	}
	return out
}

// turns is how many parts an interval has. Owners with the same part share a round.
const turns = 8

// nextTurn returns the next time of a subject's turn, after now and within its interval.
func nextTurn(now time.Time, a Ask) time.Time {
	hash := fnv.New32a()
	_, _ = hash.Write([]byte(a.Namespace + "/" + a.Handler))
	turn := a.Every / turns * time.Duration(hash.Sum32()%turns)
	return now.Add(-turn).Truncate(a.Every).Add(a.Every + turn)
}

func (h *Hub) setDue(k Key, at time.Time) {
	h.dueAt[k] = at
	if h.nextDue.IsZero() || at.Before(h.nextDue) {
		h.nextDue = at
	}
}

// Read returns the last reading of a workload. There is none before the first
// round, nor for workloads that are not wanted.
func (h *Hub) Read(k Key) (Reading, bool) {
	if !h.Configured() {
		return Reading{}, false
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	r, ok := h.readings[k]
	return r, ok
}

// NeedLeaderElection limits the hub to the replica that decides.
func (h *Hub) NeedLeaderElection() bool { return true }

const (
	// maxSleep bounds the sleep of a hub without due subjects.
	maxSleep = time.Minute
	// minRoundInterval is the shortest time between two rounds.
	minRoundInterval = 500 * time.Millisecond
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
			left := h.untilNextDue()
			if left <= minRoundInterval {
				// Further subjects may follow at once: wait, so that one round serves all.
				left = max(0, minRoundInterval-time.Since(last))
			}
			timer.Reset(left)
		case <-timer.C:
			h.Round(ctx)
			last = time.Now()
			timer.Reset(h.untilNextDue())
		}
	}
}

// untilNextDue returns how long no subject is due.
func (h *Hub) untilNextDue() time.Duration {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.nextDue.IsZero() {
		return maxSleep
	}
	return max(minRoundInterval, min(maxSleep, h.nextDue.Sub(h.clock.Now())))
}

// Round measures the due subjects and reports their owners to onMeasured.
func (h *Hub) Round(ctx context.Context) {
	now := h.clock.Now()
	due := h.dueAsks(now)
	if len(due) == 0 {
		return
	}
	readings, reports := h.measureAll(ctx, now, due)
	owners := h.storeReadings(now, due, readings, reports)
	if h.onMeasured == nil {
		return
	}
	for _, of := range owners {
		h.onMeasured(ctx, of)
	}
}

// dueAsks returns the due subjects, ordered by name.
func (h *Hub) dueAsks(now time.Time) []Ask {
	h.mu.Lock()
	defer h.mu.Unlock()
	var out []Ask
	h.nextDue = time.Time{}
	probes := 0
	for _, asks := range h.asks {
		for _, a := range asks {
			due := h.dueAt[a.Key]
			if due.After(now) {
				h.setDue(a.Key, due)
				continue
			}
			if a.isProbe() {
				if probes++; probes > maxProbes {
					h.setDue(a.Key, due) // In the next round.
					continue
				}
			}
			if last, ok := h.readings[a.Key]; ok && last.Traffic.Known && last.Traffic.At.After(a.Since) {
				a.Since = last.Traffic.At
			}
			out = append(out, a)
		}
	}
	slices.SortFunc(out, func(a, b Ask) int { return compareKeys(a.Key, b.Key) })
	return out
}

// measureAll asks all sources concurrently; readings has an entry for each source.
// reports are those that no source has.
func (h *Hub) measureAll(ctx context.Context, now time.Time, due []Ask) (readings []map[Key]Reading, reports map[Key][]PodReport) {
	subjects := make([]Subject, len(due))
	for i, a := range due {
		subjects[i] = a.Subject
	}
	out := make([]map[Key]Reading, len(h.sources))
	var group sync.WaitGroup
	if h.reporter != nil {
		group.Go(func() { reports = h.readReports(ctx, now, subjects) })
	}
	for i, source := range h.sources {
		group.Go(func() { out[i] = source.Measure(ctx, now, subjects) })
	}
	group.Wait()
	return out, reports
}

// storeReadings keeps the readings and returns their owners.
func (h *Hub) storeReadings(now time.Time, due []Ask, readings []map[Key]Reading, reports map[Key][]PodReport) []Owner {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.rounds++
	measured := map[Owner]bool{}
	for _, a := range due {
		of := Owner{a.Namespace, a.Handler}
		if _, still := h.asks[of][a.Workload]; !still {
			continue
		}
		r := extendIdle(h.readings[a.Key], mergeReadings(a.Key, readings))
		if r.Reports == nil {
			r.Reports = reports[a.Key]
		}
		h.readings[a.Key] = r
		if r.Traffic.Unproven && a.isProbe() {
			h.misses[a.Key]++
			h.setDue(a.Key, now.Add(h.readInterval(a)))
			measured[of] = measured[of] || h.misses[a.Key] == 1 // Nothing follows from the others.
			continue
		}
		delete(h.misses, a.Key)
		h.setDue(a.Key, nextTurn(now, a))
		measured[of] = true
	}
	maps.DeleteFunc(measured, func(_ Owner, isNews bool) bool { return !isNews })
	return slices.SortedFunc(maps.Keys(measured), func(a, b Owner) int {
		return cmp.Or(cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Name, b.Name))
	})
}
