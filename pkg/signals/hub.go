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
	wanted   map[Owner]map[string]Subject
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
		wanted: map[Owner]map[string]Subject{}, readings: map[Key]Reading{}, dueAt: map[Key]time.Time{}, misses: map[Key]int{}, wake: make(chan struct{}, 1),
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
func (h *Hub) Want(of Owner, subjects []Subject) {
	if !h.Configured() {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	before := h.wanted[of]
	now := map[string]Subject{}
	for _, s := range subjects {
		now[s.Workload] = s
		if !s.isProbe() || s.Every != before[s.Workload].Every {
			delete(h.misses, s.Key) // Another decision depends on it now.
		}
		if due, known := h.dueAt[s.Key]; !known || due.After(h.clock.Now().Add(h.readInterval(s))) {
			h.setDue(s.Key, h.firstTurn(s))
		} else if from := s.From; !from.IsZero() && !from.Equal(before[s.Workload].From) && due.After(from) {
			h.setDue(s.Key, from)
		}
	}
	for workload, s := range before {
		if _, still := now[workload]; !still {
			delete(h.readings, s.Key)
			delete(h.dueAt, s.Key)
			delete(h.misses, s.Key)
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

// firstTurn returns when a subject is due: at once if it has no reading, else in its turn.
func (h *Hub) firstTurn(s Subject) time.Time {
	now := h.clock.Now()
	if _, known := h.readings[s.Key]; !known {
		return now
	}
	return nextTurn(now, s)
}

// maxProbeInterval is the longest time between two probes of pods without metrics.
const maxProbeInterval = time.Hour

// readInterval returns the time between two readings of a subject: each failed probe
// doubles it.
func (h *Hub) readInterval(s Subject) time.Duration {
	out := s.Every
	for range h.misses[s.Key] {
		if out *= 2; out >= maxProbeInterval {
			return max(s.Every, maxProbeInterval)
		}
	}
	return out
}

// turns is how many parts an interval has. Owners with the same part share a round.
const turns = 8

// nextTurn returns the next time of a subject's turn, after now and within its interval.
func nextTurn(now time.Time, s Subject) time.Time {
	if !s.From.IsZero() {
		return s.From.Add((max(0, now.Sub(s.From)).Truncate(s.Every) + s.Every))
	}
	hash := fnv.New32a()
	_, _ = hash.Write([]byte(s.Namespace + "/" + s.Handler))
	turn := s.Every / turns * time.Duration(hash.Sum32()%turns)
	return now.Add(-turn).Truncate(s.Every).Add(s.Every + turn)
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
	due := h.dueSubjects(now)
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

// dueSubjects returns the due subjects, ordered by name.
func (h *Hub) dueSubjects(now time.Time) []Subject {
	h.mu.Lock()
	defer h.mu.Unlock()
	var out []Subject
	h.nextDue = time.Time{}
	probes := 0
	for _, subjects := range h.wanted {
		for _, s := range subjects {
			due := h.dueAt[s.Key]
			if due.After(now) {
				h.setDue(s.Key, due)
				continue
			}
			if s.isProbe() {
				if probes++; probes > maxProbes {
					h.setDue(s.Key, due) // In the next round.
					continue
				}
			}
			if last, ok := h.readings[s.Key]; ok && last.Traffic.Known && last.Traffic.At.After(s.Since) {
				s.Since = last.Traffic.At
			}
			out = append(out, s)
		}
	}
	slices.SortFunc(out, func(a, b Subject) int { return compareKeys(a.Key, b.Key) })
	return out
}

// measureAll asks all sources concurrently; readings has an entry for each source.
// reports are those that no source has.
func (h *Hub) measureAll(ctx context.Context, now time.Time, subjects []Subject) (readings []map[Key]Reading, reports map[Key][]PodReport) {
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
func (h *Hub) storeReadings(now time.Time, due []Subject, readings []map[Key]Reading, reports map[Key][]PodReport) []Owner {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.rounds++
	measured := map[Owner]bool{}
	for _, s := range due {
		of := Owner{s.Namespace, s.Handler}
		if _, still := h.wanted[of][s.Workload]; !still {
			continue
		}
		r := extendIdle(h.readings[s.Key], mergeReadings(s.Key, readings))
		if r.Reports == nil {
			r.Reports = reports[s.Key]
		}
		h.readings[s.Key] = r
		if r.Traffic.Unproven && s.isProbe() {
			h.misses[s.Key]++
			h.setDue(s.Key, now.Add(h.readInterval(s)))
			measured[of] = measured[of] || h.misses[s.Key] == 1 // Nothing follows from the others.
			continue
		}
		delete(h.misses, s.Key)
		h.setDue(s.Key, nextTurn(now, s))
		measured[of] = true
	}
	maps.DeleteFunc(measured, func(_ Owner, isNews bool) bool { return !isNews })
	return slices.SortedFunc(maps.Keys(measured), func(s, b Owner) int {
		return cmp.Or(cmp.Compare(s.Namespace, b.Namespace), cmp.Compare(s.Name, b.Name))
	})
}
