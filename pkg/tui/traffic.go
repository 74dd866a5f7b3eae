package tui

import (
	"fmt"
	"strings"

	"gati.dev/gati/pkg/status"
)

// versionLines are the versions with their share of the traffic. Those that are
// gone are only counted.
func versionLines(h *status.Handler, width int) []string {
	var rows [][]string
	gone := 0
	for i := range h.Versions {
		v := &h.Versions[i]
		if v.Phase == "Decommissioned" {
			gone++
			continue
		}
		rows = append(rows, versionRow(v, barWidth(width)))
	}
	lines := columns(rows)
	if gone > 0 {
		lines = append(lines, faint.Render(fmt.Sprintf("  %d decommissioned", gone)))
	}
	return section("Traffic", lines)
}

// barWidth is how long a full bar is: short where there is little room.
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

func versionRow(v *status.Version, bar int) []string {
	row := []string{titled(v)}
	if v.Sequence == 0 {
		return append(row, "-", "-", unused(v))
	}
	accepted := v.Weight
	if v.AcceptedWeight != nil {
		accepted = *v.AcceptedWeight
	}
	row = append(row, share(accepted, v.Weight, bar)+fmt.Sprintf(" %3d%%", v.Weight))
	row = append(row, fmt.Sprintf("%d/%d", v.Ready, v.Desired))
	return append(row, strings.Join(versionNotes(v), ", "))
}

// unused says why a version that is recorded takes no part.
func unused(v *status.Version) string {
	if v.Record != nil && v.Record.Reason != "" {
		return v.Record.Reason
	}
	return "not in use"
}

func versionNotes(v *status.Version) []string {
	notes := nonEmpty([]string{string(v.Phase)})
	if v.AcceptedWeight != nil && *v.AcceptedWeight != v.Weight {
		notes = append([]string{busy.Render(fmt.Sprintf("%d%% accepted", *v.AcceptedWeight))}, notes...)
	}
	return append(notes, v.Notes()...)
}

// share draws a part of 100 as a bar: what is so, and what lies between that and
// what is wanted.
func share(is, wanted int32, width int) string {
	at := func(percent int32) int { return (int(min(100, max(0, percent)))*width + 50) / 100 }
	low, high := min(at(is), at(wanted)), max(at(is), at(wanted))
	return good.Render(strings.Repeat("█", low)) + busy.Render(strings.Repeat("▒", high-low)) + faint.Render(strings.Repeat("░", width-high))
}
