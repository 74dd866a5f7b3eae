package rollout

import (
	v1 "gati.dev/gati/api/v1"
)

// journal writes what happens into the history, and makes Events of it.
type journal struct {
	*clock
	history *[]v1.HistoryEntry
	events  []Event
}

// recordEvent writes into the history who did what, and makes an Event of it.
func (j *journal) recordEvent(by, what, from, to, why string) {
	j.appendEvent(false, by, what, from, to, why)
}

// recordWarning is recordEvent for what people should look at.
func (j *journal) recordWarning(by, what, from, to, why string) {
	j.appendEvent(true, by, what, from, to, why)
}

// recordFirst writes into the history that the first version starts. No Event tells of it: who
// has just created a handler knows, and the one that follows says how it went.
func (j *journal) recordFirst(u *v1.UnitRef) {
	j.appendHistory(machineName, "Started", "", u.Title(), "the first version")
}

func (j *journal) appendEvent(warning bool, by, what, from, to, why string) {
	j.appendHistory(by, what, from, to, why)
	j.events = append(j.events, Event{Warning: warning, Reason: what, Message: line(by, from, to, why)})
}

func (j *journal) appendHistory(by, what, from, to, why string) {
	*j.history = append(*j.history, v1.HistoryEntry{
		Deed: v1.Deed{By: by, At: *j.stampNow()}, What: what, From: from, To: to, Why: why,
	})
	*j.history = (*j.history)[max(0, len(*j.history)-maxHistory):]
}
