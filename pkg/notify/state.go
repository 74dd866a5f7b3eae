package notify

import (
	"encoding/json"
	"maps"
	"time"
)

// grace is how late a status may be stored after its event happened, and how long the
// ids of delivered events are kept at least.
const grace = 10 * time.Minute

// state is the events that a sink has received. The zero state is that of a new sink.
type state struct {
	// Through is the time up to which every event was delivered, but for those that
	// last.
	Through time.Time `json:"through"`
	// Delivered are the times of later events that were delivered, by id; Open are the
	// ids of those that lasted when they were.
	Delivered map[string]time.Time `json:"delivered,omitempty"`
	Open      map[string]bool      `json:"open,omitempty"`
}

// newState returns the state of a new sink: it receives the events from now on, and the
// conditions that are open.
func newState(now time.Time) state {
	return state{Through: now.UTC(), Delivered: map[string]time.Time{}, Open: map[string]bool{}}
}

// isDue reports whether an event has to be delivered.
func (s state) isDue(e Event) bool {
	if e.Open {
		return !s.Open[e.ID]
	}
	_, delivered := s.Delivered[e.ID]
	return !delivered && e.At.After(s.Through)
}

// noteDelivered records that an event was delivered.
func (s state) noteDelivered(e Event) {
	if e.Open {
		s.Open[e.ID] = true
		return
	}
	s.Delivered[e.ID] = e.At.UTC()
}

// trimPast forgets what cannot come again: events from before oldest, the first one that
// waits, and from before the grace; and states that have ended.
func (s *state) trimPast(now, oldest time.Time, lasting func(id string) bool) {
	through := now.Add(-grace)
	if !oldest.IsZero() && oldest.Before(through) {
		through = oldest.Add(-time.Nanosecond)
	}
	if through.After(s.Through) {
		s.Through = through.UTC()
	}
	maps.DeleteFunc(s.Delivered, func(_ string, at time.Time) bool { return !at.After(s.Through) })
	maps.DeleteFunc(s.Open, func(id string, _ bool) bool { return !lasting(id) })
}

// mergeState adds what another process has delivered.
func (s *state) mergeState(other state) {
	if other.Through.After(s.Through) {
		s.Through = other.Through
	}
	maps.Copy(s.Delivered, other.Delivered)
	maps.Copy(s.Open, other.Open)
}

func (s state) encode() (string, error) {
	text, err := json.Marshal(s)
	return string(text), err
}

// decodeState reads a stored state. One that cannot be read is that of a new sink.
func decodeState(text string, now time.Time) (s state, known bool) {
	fresh := newState(now)
	if text == "" || json.Unmarshal([]byte(text), &s) != nil || s.Through.IsZero() {
		return fresh, false
	}
	out := state{Through: s.Through, Delivered: fresh.Delivered, Open: fresh.Open}
	out.mergeState(s)
	return out, true
}
