package status

import (
	"fmt"
	"strings"

	"gati.dev/gati/pkg/cli/output"
	model "gati.dev/gati/pkg/status"
)

// VersionColumns are the names of the columns that VersionCells fills.
func VersionColumns() []string {
	return []string{"VERSION", "WEIGHT", "ACCEPTED", "READY", "PHASE", "WORKLOAD", "RECORD", "NOTE"}
}

// VersionCells is one version as a line of a table.
func VersionCells(h *model.Handler, v *model.Version) []output.Cell {
	record := ""
	if v.Record != nil {
		record = v.Record.Name
	}
	return []output.Cell{
		output.Plain(v.Version), output.Plain(formatWeight(h, v)), acceptedCell(h, v), output.Plain(readyPods(h, v)), output.Plain(string(v.Phase)),
		output.Plain(v.Workload), output.Plain(record), {Text: strings.Join(v.Notes(), ", ")},
	}
}

// formatWeight returns the wanted share of the traffic; where pods divide it, the real share
// first.
func formatWeight(h *model.Handler, v *model.Version) string {
	switch real, byPods := h.ShareByPods(v); {
	case v.Sequence == 0:
		return ""
	case byPods && real != v.Weight:
		return fmt.Sprintf("%d%% (wants %d%%)", real, v.Weight)
	default:
		return fmt.Sprintf("%d%%", v.Weight)
	}
}

// acceptedCell returns the share that the gateway has accepted.
func acceptedCell(h *model.Handler, v *model.Version) output.Cell {
	if _, byPods := h.ShareByPods(v); byPods || v.AcceptedWeight == nil {
		return output.Plain("")
	}
	cell := output.Plain(fmt.Sprintf("%d%%", *v.AcceptedWeight))
	if *v.AcceptedWeight != v.Weight {
		cell.Color = output.Busy
	}
	return cell
}

// readyPods returns the pods of a version whose workload was read.
func readyPods(h *model.Handler, v *model.Version) string {
	for _, w := range h.Workloads {
		if w.Name == v.Workload {
			return fmt.Sprintf("%d/%d", v.Ready, v.Desired)
		}
	}
	return ""
}
