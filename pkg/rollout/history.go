package rollout

import (
	"strings"

	v1 "gati.dev/gati/api/v1"
)

// machineName is the author of entries that no user requested.
const machineName = v1.FieldManager

// maxHistory is how much of the past the status holds.
const maxHistory = 32

// recordEvent writes into the history who did what, and makes an Event of it.
func (m *machine) recordEvent(by, what, from, to, why string) {
	m.appendEvent(false, by, what, from, to, why)
}

// recordWarning is recordEvent for what people should look at.
func (m *machine) recordWarning(by, what, from, to, why string) {
	m.appendEvent(true, by, what, from, to, why)
}

// recordFirst writes into the history that the first version starts. No Event tells of it: who
// has just created a handler knows, and the one that follows says how it went.
func (m *machine) recordFirst(u *v1.UnitRef) {
	m.appendHistory(machineName, "Started", "", u.Title(), "the first version")
}

func (m *machine) appendEvent(warning bool, by, what, from, to, why string) {
	m.appendHistory(by, what, from, to, why)
	m.events = append(m.events, Event{Warning: warning, Reason: what, Message: line(by, from, to, why)})
}

func (m *machine) appendHistory(by, what, from, to, why string) {
	m.ro.History = append(m.ro.History, v1.HistoryEntry{
		Deed: v1.Deed{By: by, At: *m.stampNow()}, What: what, From: from, To: to, Why: why,
	})
	m.ro.History = m.ro.History[max(0, len(m.ro.History)-maxHistory):]
}

// line is one sentence: "v1 90 % → v2 10 %: 1 of 1 pods ready, by jane".
func line(by, from, to, why string) string {
	var b strings.Builder
	b.WriteString(from)
	if from != "" && to != "" {
		b.WriteString(" → ")
	}
	b.WriteString(to)
	if why != "" {
		if b.Len() > 0 {
			b.WriteString(": ")
		}
		b.WriteString(why)
	}
	if by != machineName {
		b.WriteString(", by " + by)
	}
	return b.String()
}
