package rollout

import (
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "gati.dev/gati/api/v1"
)

// machineName is the author of entries that no user requested.
const machineName = v1.FieldManager

// maxHistory is how much of the past the status holds.
const maxHistory = 32

// journal collects the history, Events, waits and sentences of a decision.
type journal struct {
	*clock
	// rules are the policy, for forecasts.
	rules *Policy
	// status holds the history and the wait.
	status *v1.RolloutStatus
	events []Event
	// reason is the one sentence; the last one counts.
	reason string
	notes  []string
	// unmeasured are sentences about sources that are silent.
	unmeasured []string
	// stalled reports whether a user has to act.
	stalled bool
}

// recordEvent writes into the history who did what, and makes an Event of it.
func (j *journal) recordEvent(by, what, from, to, why string) {
	j.appendEvent(false, by, what, from, to, why)
}

// recordWarning is recordEvent for what people should look at.
func (j *journal) recordWarning(by, what, from, to, why string) {
	j.appendEvent(true, by, what, from, to, why)
}

// recordFirst adds the start of the first version to the history. It has no Event: the user
// has just created the handler, and a later Event reports the result.
func (j *journal) recordFirst(u *v1.UnitRef) {
	j.appendHistory(machineName, "Started", "", u.Title(), "the first version")
}

func (j *journal) appendEvent(warning bool, by, what, from, to, why string) {
	j.appendHistory(by, what, from, to, why)
	j.events = append(j.events, Event{Warning: warning, Reason: what, Message: changeLine(by, from, to, why)})
}

func (j *journal) appendHistory(by, what, from, to, why string) {
	h := append(j.status.History, v1.HistoryEntry{
		Deed: v1.Deed{By: by, At: *j.stampNow()}, What: what, From: from, To: to, Why: why,
	})
	j.status.History = h[max(0, len(h)-maxHistory):]
}

// setReason sets the one sentence.
func (j *journal) setReason(format string, args ...any) { j.reason = fmt.Sprintf(format, args...) }

// addNote adds a sentence beside the reason.
func (j *journal) addNote(format string, args ...any) {
	j.notes = append(j.notes, fmt.Sprintf(format, args...))
}

// waitFor persists what holds the rollout, and makes it the reason of the decision.
func (j *journal) waitFor(v verdict) {
	j.status.WaitingFor = v.waiting
	j.reason = j.waitingSentence()
}

// reportUnreached persists what keeps callers from a handler at rest, and makes it the reason of
// the decision. That reason lasts, so it has no time: the status has the deadline.
func (j *journal) reportUnreached(v verdict) {
	j.status.WaitingFor = v.waiting
	j.setReason("%s.", strings.TrimRight(v.waiting.Message, "."))
}

// noteWaiting persists why the declared version is not rolled out, while the reason of the
// decision is about the version that serves.
func (j *journal) noteWaiting(v verdict) {
	j.status.WaitingFor = v.waiting
	j.notes = append(j.notes, j.waitingSentence())
}

// waitingSentence renders the wait with its time. A stored message has none: the view
// counts down.
func (j *journal) waitingSentence() string {
	w := j.status.WaitingFor
	text := strings.TrimRight(w.Message, ".")
	if f := ForecastStep(j.rules, j.status); f != nil && f.Missing > 0 {
		when := func(at metav1.Time) string { return "at " + j.formatTime(at.Time) }
		return fmt.Sprintf("%s; %s.", text, f.Describe(when, "enough requests"))
	}
	switch {
	case w.Until == nil:
		return text + "."
	case w.Reason == v1.WaitingForPause:
		return fmt.Sprintf("%s at %s.", text, j.formatTime(w.Until.Time))
	default:
		return fmt.Sprintf("%s; deadline %s.", text, j.formatTime(w.Until.Time))
	}
}

// changeLine is one sentence: "v1 90 % → v2 10 %: 1 of 1 pods ready, by jane".
func changeLine(by, from, to, why string) string {
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
