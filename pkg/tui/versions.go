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
	return section("Versions", lines)
}

// barWidth is how long a full bar is: none where there is no room for one.
func barWidth(width int) int {
	if width < 60 {
		return 0
	}
	return 20
}

func versionRow(v *status.Version, bar int) []string {
	row := []string{v.Version}
	if v.Sequence == 0 {
		return append(row, "-", "-", unused(v))
	}
	row = append(row, strings.TrimSpace(share(v.Weight, bar)+fmt.Sprintf(" %3d%%", v.Weight)))
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
		notes = append(notes, busy.Render(fmt.Sprintf("%d%% accepted", *v.AcceptedWeight)))
	}
	return append(notes, v.Notes()...)
}

// share draws a part of 100 as a bar.
func share(percent int32, width int) string {
	full := (int(percent)*width + 50) / 100
	return good.Render(strings.Repeat("█", full)) + faint.Render(strings.Repeat("░", width-full))
}
