package tui

import (
	"fmt"
	"strings"

	"gati.dev/gati/pkg/status"
)

// versionLines are the versions with their share of the traffic. Decommissioned ones
// are only counted.
func versionLines(h *status.Handler, width int) []string {
	var rows [][]string
	gone := 0
	for i := range h.Versions {
		v := &h.Versions[i]
		if v.Phase == "Decommissioned" {
			gone++
			continue
		}
		rows = append(rows, versionRow(h, v, barWidth(width)))
	}
	lines := alignColumns(rows, width)
	if gone > 0 {
		lines = append(lines, faint.Render(fmt.Sprintf("  %d decommissioned", gone)))
	}
	return renderSection("Traffic", lines)
}

// barWidth is the width of a full bar.
func barWidth(width int) int {
	switch {
	case width < 60:
		return 8
	case width < 110:
		return 20
	default:
		return 40
	}
}

func versionRow(h *status.Handler, v *status.Version, bar int) []string {
	row := []string{titleFor(v)}
	if v.Sequence == 0 {
		return append(row, "-", "-", describeUnused(v))
	}
	accepted := v.Weight
	if v.AcceptedWeight != nil {
		accepted = *v.AcceptedWeight
	}
	if v.IsDown() {
		accepted = 0
	}
	shown := v.Weight
	if real, byPods := h.ShareByPods(v); byPods {
		shown = real
	}
	row = append(row, drawShare(accepted, v.Weight, bar)+fmt.Sprintf(" %3d%%", shown))
	row = append(row, fmt.Sprintf("%d/%d", v.Ready, v.Desired))
	return append(row, strings.Join(versionNotes(h, v), ", "))
}

// describeUnused returns why a recorded version is not in use.
func describeUnused(v *status.Version) string {
	if v.Record != nil && v.Record.Reason != "" {
		return v.Record.Reason
	}
	return "not in use"
}

func versionNotes(h *status.Handler, v *status.Version) []string {
	notes := nonEmpty([]string{string(v.Phase)})
	if v.AcceptedWeight != nil && *v.AcceptedWeight != v.Weight {
		difference := fmt.Sprintf("%d%% accepted", *v.AcceptedWeight)
		if _, byPods := h.ShareByPods(v); byPods {
			difference = fmt.Sprintf("%d%% wanted", v.Weight)
		}
		notes = append([]string{busy.Render(difference)}, notes...)
	}
	return append(notes, v.Notes()...)
}

// drawShare draws a part of 100 as a bar: the accepted part, and the difference to the
// wanted one.
func drawShare(is, wanted int32, width int) string {
	at := func(percent int32) int { return (int(min(100, max(0, percent)))*width + 50) / 100 }
	low, high := min(at(is), at(wanted)), max(at(is), at(wanted))
	return good.Render(strings.Repeat("█", low)) + busy.Render(strings.Repeat("▒", high-low)) + faint.Render(strings.Repeat("░", width-high))
}
