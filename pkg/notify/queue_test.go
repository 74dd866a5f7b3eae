package notify

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "gati.dev/gati/api/v1"
)

var everything = Sink{Name: "all", Events: Kinds}

// life is a random life of some handlers, their leaders and one sink. The status of a
// handler is stored up to a minute after its event; leaders are killed between a delivery
// and the write of what was delivered.
type life struct {
	t   *testing.T
	rnd *rand.Rand
	now time.Time
	// handlers are as they are stored; late are statuses on their way.
	handlers map[string]*v1.GatiHandler
	late     []func()
	q        *queue
	stored   string
	// happened are the ids of all stored events, got how often each was delivered, saved
	// those whose delivery was stored, unsaved those of this leader that were not yet.
	happened, saved, unsaved map[string]bool
	got                      map[string]int
	complete                 bool
}

func (l *life) lead() {
	st, _ := decodeState(l.stored, l.now)
	l.q, l.complete = newQueue(everything, st, func() time.Time { return l.now }, func(int) { l.t.Error("an event was dropped") }), false
	l.unsaved = map[string]bool{}
	l.save()
	for _, h := range l.handlers {
		l.observe(h)
	}
	l.complete = true
}

func (l *life) observe(h *v1.GatiHandler) {
	l.q.observeEvents(Object{"GatiHandler", h.Namespace, h.Name}, HandlerEvents(h))
}

func (l *life) save() {
	text, err := l.q.encodeState(l.complete)
	if err != nil {
		l.t.Fatal(err)
	}
	l.stored = text
	maps.Copy(l.saved, l.unsaved)
	l.unsaved = map[string]bool{}
}

func (l *life) deliver() {
	e, ok := l.q.nextEvent()
	if !ok {
		return
	}
	if l.saved[e.ID] {
		l.t.Errorf("%s was delivered again, although the first time was stored", e.Kind)
	}
	l.got[e.ID]++
	l.unsaved[e.ID] = true
	l.q.finishEvent(e)
}

func (l *life) happen() {
	name := fmt.Sprint("h", l.rnd.IntN(5))
	at := l.now
	store := func() {
		h := l.handlers[name]
		if h == nil {
			h = users()
			h.Name, h.UID = name, "u"+h.UID
			l.handlers[name] = h
		}
		h = h.DeepCopy()
		e := entry(0, Kinds[l.rnd.IntN(len(Kinds)-1)], "v1", fmt.Sprint("v", l.rnd.IntN(1e9)), "")
		e.At = metav1.NewTime(at)
		h.Status.Rollout.History = append(h.Status.Rollout.History, e)
		h.Status.Conditions = nil
		if l.rnd.IntN(3) == 0 {
			h.Status.Conditions = stalled(fmt.Sprint("Reason", l.rnd.IntN(1e9)), "")
		}
		l.handlers[name] = h
		for _, e := range HandlerEvents(h) {
			l.happened[e.ID] = true
		}
		l.observe(h)
	}
	if l.rnd.IntN(3) == 0 {
		l.late = append(l.late, store)
		return
	}
	store()
}

// TestEveryEventIsDelivered holds over random lives that each event is delivered at
// least once, and only once where that was stored.
func TestEveryEventIsDelivered(t *testing.T) {
	kills := 0
	for seed := range uint64(300) {
		l := &life{
			t: t, rnd: rand.New(rand.NewPCG(seed, 1)), now: began, handlers: map[string]*v1.GatiHandler{},
			happened: map[string]bool{}, saved: map[string]bool{}, got: map[string]int{},
		}
		l.lead()
		for range 60 {
			l.now = l.now.Add(time.Duration(1+l.rnd.IntN(200)) * time.Second)
			for _, store := range l.late {
				store()
			}
			l.late = nil
			switch l.rnd.IntN(8) {
			case 0, 1, 2:
				l.happen()
			case 3, 4, 5:
				l.deliver()
			case 6:
				l.save()
			default:
				kills++
				l.lead()
			}
		}
		for l.q.countWaiting() > 0 {
			l.deliver()
		}
		for id := range maps.Keys(l.happened) {
			if l.got[id] == 0 && !isOver(l, id) {
				t.Fatalf("seed %d: an event of %d was not delivered", seed, len(l.happened))
			}
		}
	}
	if kills == 0 {
		t.Error("no leader was killed")
	}
}

// isOver reports whether an event was a state that ended before any leader that lived on
// had seen it: the only events that may be missed.
func isOver(l *life, id string) bool {
	for _, h := range l.handlers {
		for _, e := range HandlerEvents(h) {
			if e.ID == id {
				return false
			}
		}
	}
	return true
}

// TestStateStaysSmall holds that what is stored does not grow with the past.
func TestStateStaysSmall(t *testing.T) {
	now := began
	q := newQueue(everything, newState(now), func() time.Time { return now }, func(int) { t.Error("an event was dropped") })
	h := users()
	for i := range 2000 {
		now = now.Add(time.Minute)
		e := entry(0, "Completed", "v1", fmt.Sprint("v", i), "")
		e.At = metav1.NewTime(now)
		h.Status.Rollout.History = []v1.HistoryEntry{e}
		h.Status.Conditions = stalled(fmt.Sprint("Reason", i), "")
		q.observeEvents(Object{"GatiHandler", "shop", "users"}, HandlerEvents(h))
		for q.countWaiting() > 0 {
			e, _ := q.nextEvent()
			q.finishEvent(e)
		}
		if _, err := q.encodeState(true); err != nil {
			t.Fatal(err)
		}
	}
	if len(q.state.Delivered) > 11 || len(q.state.Open) > 1 {
		t.Errorf("%d ids of events and %d of states are kept", len(q.state.Delivered), len(q.state.Open))
	}
}

// TestANewSinkHearsWhatHappensFromNowOn holds that a new sink gets no past event, but every
// state that still lasts.
func TestANewSinkHearsWhatHappensFromNowOn(t *testing.T) {
	now := began.Add(time.Minute)
	q := newQueue(everything, newState(now), func() time.Time { return now }, func(int) {})
	h := users(entry(0, "Completed", "v1", "v2", ""), entry(70, "Started", "v2", "v3", ""))
	h.Status.Conditions = stalled("Rejected", "")
	q.observeEvents(Object{"GatiHandler", "shop", "users"}, HandlerEvents(h))
	var got []string
	for q.countWaiting() > 0 {
		e, _ := q.nextEvent()
		got = append(got, e.Kind)
		q.finishEvent(e)
	}
	if fmt.Sprint(got) != "[NeedsAttention Started]" {
		t.Errorf("it hears of %v", got)
	}
}

// TestOldAndTooManyEventsAreDropped holds the bounds of a queue, and that what is
// dropped is not tried by the next leader.
func TestOldAndTooManyEventsAreDropped(t *testing.T) {
	now, lost := began, 0
	q := newQueue(everything, newState(now), func() time.Time { return now }, func(n int) { lost += n })
	q.observeEvents(Object{"GatiHandler", "shop", "users"}, HandlerEvents(users(entry(1, "Completed", "v1", "v2", ""))))
	now = now.Add(maxAge + time.Minute)
	if e, ok := q.nextEvent(); ok || lost != 1 {
		t.Errorf("%v is tried after a day, %d were dropped", e, lost)
	}
	q.observeEvents(Object{"GatiHandler", "shop", "users"}, HandlerEvents(users(entry(1, "Completed", "v1", "v2", ""))))
	if q.countWaiting() != 0 {
		t.Error("what was dropped is tried again")
	}
	h := users()
	for i := range maxPending + 5 {
		e := entry(0, "Step", "v1", fmt.Sprint("v", i), "")
		e.At = metav1.NewTime(now)
		h.Status.Rollout.History = []v1.HistoryEntry{e}
		q.observeEvents(Object{"GatiHandler", "shop", "users"}, HandlerEvents(h))
	}
	if q.countWaiting() != maxPending || lost != 6 {
		t.Errorf("%d wait, %d were dropped", q.countWaiting(), lost)
	}
}
