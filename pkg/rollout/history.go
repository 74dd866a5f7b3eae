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
	m.appendHistory(false, by, what, from, to, why)
}

// recordWarning is tell for what people should look at.
func (m *machine) recordWarning(by, what, from, to, why string) {
	m.appendHistory(true, by, what, from, to, why)
}

func (m *machine) appendHistory(warning bool, by, what, from, to, why string) {
	m.ro.History = append(m.ro.History, v1.HistoryEntry{
		Deed: v1.Deed{By: by, At: *m.stampNow()}, What: what, From: from, To: to, Why: why,
	})
	m.ro.History = m.ro.History[max(0, len(m.ro.History)-maxHistory):]
	m.events = append(m.events, Event{Warning: warning, Reason: what, Message: line(by, from, to, why)})
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
