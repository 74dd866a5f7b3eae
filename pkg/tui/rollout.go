package tui

import (
	"fmt"
	"strings"

	"gati.dev/gati/pkg/status"
)

// rolloutLines are the versions of the rollout, its steps and countdown. They repeat
// the reason only where the health has another.
func (m Model) rolloutLines(h *status.Handler) []string {
	r := h.Rollout
	if r == nil {
		return nil
	}
	var lines []string
	if r.Target != "" {
		line := "  " + r.Stable + " → " + r.Target
		if r.StartedAt != nil {
			line += faint.Render("  started " + status.Age(*r.StartedAt, m.now) + " ago")
		}
		lines = append(lines, line)
	}
	for _, line := range flowWords(drawSteps(r.Steps), faint.Render(" ─ "), m.width-2) {
		lines = append(lines, "  "+line)
	}
	if line := m.drawCountdown(r); line != "" {
		lines = append(lines, "  "+line)
	}
	if r.Reason != "" && r.Reason != h.Reason {
		lines = append(lines, "  "+r.Reason, "  → "+r.Next)
	}
	if badge := h.Badge(); badge != "" {
		lines = append(lines, "  "+busy.Render(badge))
	}
	if r.Frozen != nil {
		lines = append(lines, "  "+busy.Render("paused by "+r.Frozen.By))
	}
	for _, x := range r.Rejected {
		lines = append(lines, "  "+bad.Render("✖ "+x.Version)+" is not retried: "+x.Reason)
	}
	return renderSection("Rollout", lines)
}

// drawSteps draws the steps: done, current, later.
func drawSteps(steps []status.Step) []string {
	parts := make([]string, len(steps))
	for i, step := range steps {
		text := fmt.Sprintf("%d%%", step.Weight)
		switch {
		case step.Pause != "":
			text += " " + step.Pause
		case i < len(steps)-1:
			text += " until promoted"
		}
		switch step.State {
		case status.StepDone:
			parts[i] = good.Render("✔ " + text)
		case status.StepNow:
			parts[i] = bold.Render("◉ " + text)
		default:
			parts[i] = faint.Render("○ " + text)
		}
	}
	return parts
}

// drawCountdown draws the time that is left of a pause or a deadline.
func (m Model) drawCountdown(r *status.Rollout) string {
	if r.NextAt == nil {
		return ""
	}
	left := r.NextAt.Sub(m.now)
	text := formatSpan(left) + " left"
	if left <= 0 {
		text = "the time is over"
	}
	if r.StepSince == nil || !r.NextAt.After(r.StepSince.Time) {
		return text
	}
	over := m.now.Sub(r.StepSince.Time).Seconds() / r.NextAt.Sub(r.StepSince.Time).Seconds()
	percent := int32(100 * min(1, max(0, over)))
	return drawShare(percent, percent, barWidth(m.width)) + " " + text
}

// eventLines are the history, the latest first.
func (m Model) eventLines(r *status.Rollout) []string {
	if r == nil {
		return nil
	}
	var rows [][]string
	for i := len(r.History) - 1; i >= 0; i-- {
		e := &r.History[i]
		way := strings.Join(nonEmpty([]string{e.From, e.To}), " → ")
		rows = append(rows, []string{status.Age(e.At, m.now), e.By, e.What, strings.Join(nonEmpty([]string{way, e.Why}), ": ")})
	}
	return renderSection("Events", alignColumns(m.filter.matchingRows(rows), m.width))
}
