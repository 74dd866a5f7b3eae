package rollout

import (
	"fmt"
	"strings"
	"time"
)

// nextStep says what follows the step.
func (m *machine) nextStep() string {
	steps := m.rolloutSteps()
	if int(m.ro.Step)+1 >= len(steps) {
		return "it is done"
	}
	next := steps[m.ro.Step+1]
	if next.Weight == steps[m.ro.Step].Weight {
		return "it is done"
	}
	return fmt.Sprintf("%d %%", next.Weight)
}

// whereTo says what the step is about, for a rollout that stands still.
func (m *machine) whereTo(step Step) string {
	if step.Weight == 100 {
		return "the end is next"
	}
	return fmt.Sprintf("step %d of %d is %d %%", m.ro.Step+1, len(m.rolloutSteps()), step.Weight)
}

// trouble is what keeps pods from being ready, for the end of a sentence.
func trouble(w Workload) string {
	if w.Trouble == "" {
		return ""
	}
	return " (" + strings.TrimRight(w.Trouble, ".") + ")"
}

// timeAhead writes the time that is so far ahead. A sentence is stored, and one that
// counted down would be written again at every look.
func (m *machine) timeAhead(ahead time.Duration) string {
	return m.formatTime(m.in.Now.Add(ahead))
}

// formatTime writes a time, with its day where that is not today.
func (m *machine) formatTime(at time.Time) string {
	t := at.UTC().Round(time.Second)
	if at.Sub(m.in.Now).Abs() > 20*time.Hour {
		return t.Format("2006-01-02 15:04 UTC")
	}
	return t.Format("15:04:05 UTC")
}

// formatDuration writes a length of time as people do: 10m, 1h30m, 45s.
func formatDuration(d time.Duration) string {
	if d > time.Second {
		d = d.Round(time.Second)
	} else if d > 0 {
		d = time.Second
	}
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}
