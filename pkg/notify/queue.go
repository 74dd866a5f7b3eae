package notify

import (
	"slices"
	"sync"
	"time"
)

const (
	// maxAge is how long an event is tried. It is dropped then.
	maxAge = 24 * time.Hour
	// maxPending bounds the events that wait for one sink. The oldest is dropped.
	maxPending = 10_000
)

// queue has the waiting events of one sink, the oldest first, and the delivered ones.
type queue struct {
	sink Sink
	now  func() time.Time
	// wake is signalled when an event was added.
	wake chan struct{}
	// dropped is called with how many events were given up.
	dropped func(int)

	mu      sync.Mutex
	state   state
	pending []Event
	// lasting are the ids of events that last, by object.
	lasting map[Object][]string
}

func newQueue(s Sink, st state, now func() time.Time, dropped func(int)) *queue {
	return &queue{sink: s, now: now, wake: make(chan struct{}, 1), dropped: dropped, state: st, lasting: map[Object][]string{}}
}

// observeEvents adds the new ones of an object's events; a deleted object has none.
func (q *queue) observeEvents(object Object, events []Event) {
	q.mu.Lock()
	defer q.mu.Unlock()
	delete(q.lasting, object)
	for _, e := range events {
		if !slices.Contains(q.sink.Events, e.Kind) {
			continue
		}
		if e.Open {
			q.lasting[object] = append(q.lasting[object], e.ID)
		}
		if q.state.isDue(e) && !slices.ContainsFunc(q.pending, func(p Event) bool { return p.ID == e.ID }) {
			q.addEvent(e)
		}
	}
}

func (q *queue) addEvent(e Event) {
	at, _ := slices.BinarySearchFunc(q.pending, e, func(p, e Event) int {
		if p.At.After(e.At) {
			return 1
		}
		return -1 // behind those of the same time
	})
	q.pending = slices.Insert(q.pending, at, e)
	if len(q.pending) > maxPending {
		q.pending = q.pending[1:]
		q.dropped(1)
	}
	select {
	case q.wake <- struct{}{}:
	default:
	}
}

// nextEvent returns the oldest event that waits, after it gave up those that are too old.
func (q *queue) nextEvent() (Event, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	old := 0
	for old < len(q.pending) && !q.pending[old].Open && q.now().Sub(q.pending[old].At) > maxAge {
		q.state.noteDelivered(q.pending[old])
		old++
	}
	if old > 0 {
		q.pending = q.pending[old:]
		q.dropped(old)
	}
	if len(q.pending) == 0 {
		return Event{}, false
	}
	return q.pending[0], true
}

// finishEvent records that an event was delivered, or is given up.
func (q *queue) finishEvent(e Event) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.state.noteDelivered(e)
	q.pending = slices.DeleteFunc(q.pending, func(p Event) bool { return p.ID == e.ID })
}

// countWaiting returns how many events wait.
func (q *queue) countWaiting() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.pending)
}

// encodeState returns the state to be stored. It is trimmed only after every object was
// observed: an event that was not seen yet is not delivered.
func (q *queue) encodeState(all bool) (string, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if all {
		var oldest time.Time
		for _, p := range q.pending {
			if !p.Open {
				oldest = p.At
				break
			}
		}
		lasts := map[string]bool{}
		for _, ids := range q.lasting {
			for _, id := range ids {
				lasts[id] = true
			}
		}
		q.state.trimPast(q.now(), oldest, func(id string) bool { return lasts[id] })
	}
	return q.state.encode()
}

// mergeState adds the state that another process has stored meanwhile.
func (q *queue) mergeState(other state) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.state.mergeState(other)
	q.pending = slices.DeleteFunc(q.pending, func(p Event) bool { return !q.state.isDue(p) })
}
