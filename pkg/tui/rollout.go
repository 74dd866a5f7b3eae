package tui

import (
	"fmt"
	"strings"

	"gati.dev/gati/pkg/status"
)

// rolloutLines are the way from one version to the next and its steps, and what
// holds it. They say the reason again only where the head is about something else.
func rolloutLines(h *status.Handler) []string {
	r := h.Rollout
	if r == nil {
		return nil
	}
	var lines []string
	if r.Target != "" {
		lines = append(lines, "  "+r.Stable+" → "+r.Target)
	}
	if len(r.Steps) > 0 {
		lines = append(lines, "  "+stepLine(r.Steps))
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
	return section("Rollout", lines)
}

// stepLine draws the steps: those that are over, the one it is at, those to come.
func stepLine(steps []status.Step) string {
	parts := make([]string, len(steps))
	for i, step := range steps {
		text := fmt.Sprintf("%d%%", step.Weight)
		if step.Pause != "" {
			text += " " + step.Pause
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
	return strings.Join(parts, faint.Render(" ─ "))
}

// historyLines are what happened, the latest first.
func (m Model) historyLines(r *status.Rollout) []string {
	if r == nil {
		return nil
	}
	var rows [][]string
	for i := len(r.History) - 1; i >= 0; i-- {
		e := &r.History[i]
		way := strings.Join(nonEmpty([]string{e.From, e.To}), " → ")
		rows = append(rows, []string{m.snap.Age(e.At), e.By, e.What, strings.Join(nonEmpty([]string{way, e.Why}), ": ")})
	}
	return section("History", columns(rows))
}
