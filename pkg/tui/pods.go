package tui

import (
	"fmt"
	"strings"

	"charm.land/lipgloss/v2"

	"gati.dev/gati/pkg/status"
)

// podLines draw the pods of each workload, the worst first, with its autoscaler, and
// name those with problems.
func (m Model) podLines(item *status.Item, h *status.Handler) []string {
	var rows [][]string
	for i := range item.Workloads {
		w := &item.Workloads[i]
		if w.Desired == 0 && w.Ready == 0 && w.Autoscaler == nil {
			continue
		}
		rows = append(rows, []string{workloadTitle(h, w), drawPods(item, w, m.width/3), fmt.Sprintf("%d of %d ready", w.Ready, w.Desired), describeAutoscaler(w.Autoscaler)})
	}
	if len(item.Workloads) == 0 && item.Desired > 0 {
		rows = append(rows, []string{fmt.Sprintf("%d of %d ready", item.Ready, item.Desired)})
	}
	lines := alignColumns(rows, m.width)
	rows = nil
	for i := range item.Problems {
		p := &item.Problems[i]
		sign, style := "!", busy
		if p.Blocking {
			sign, style = "✖", bad
		}
		rows = append(rows, []string{style.Render(sign + " " + podNames(p)), m.problemAge(p), p.Summary()})
	}
	return renderSection("Pods", append(lines, alignColumns(m.filter.matchingRows(rows), m.width)...))
}

// workloadTitle names a workload by its version.
func workloadTitle(h *status.Handler, w *status.Workload) string {
	if h == nil {
		return w.Deployment
	}
	for i := range h.Versions {
		v := &h.Versions[i]
		if v.Workload == w.Name && v.Phase != "Decommissioned" {
			return titleFor(v)
		}
	}
	return w.Name
}

// titleFor returns the title of a version, with the number of its template where that
// is not the first.
func titleFor(v *status.Version) string {
	if v.RevisionNumber > 1 {
		return fmt.Sprintf("%s r%d", v.Version, v.RevisionNumber)
	}
	return v.Version
}

// drawPods draws one sign for each pod: blocked, not ready, ready with problems, ready.
// Without room for all of them, the signs are proportional.
func drawPods(item *status.Item, w *status.Workload, room int) string {
	var blocked, troubled int
	for i := range item.Problems {
		switch p := &item.Problems[i]; {
		case p.Workload != w.Name:
		case p.Blocking:
			blocked += len(p.Pods)
		default:
			troubled += len(p.Pods)
		}
	}
	open := max(0, int(w.Desired-w.Ready))
	blocked = min(blocked, open)
	troubled = min(max(0, troubled-(open-blocked)), int(w.Ready))
	counts := []int{blocked, open - blocked, troubled, int(w.Ready) - troubled}
	counts = shrinkCounts(counts, max(4, room))
	var out strings.Builder
	for i, look := range []struct {
		sign  string
		style lipgloss.Style
	}{{"✖", bad}, {"○", busy}, {"◐", busy}, {"●", good}} {
		out.WriteString(look.style.Render(strings.Repeat(look.sign, counts[i])))
	}
	return out.String()
}

// shrinkCounts makes counts fit into room. None above zero becomes zero.
func shrinkCounts(counts []int, room int) []int {
	total := 0
	for _, n := range counts {
		total += n
	}
	if total <= room {
		return counts
	}
	out := make([]int, len(counts))
	used, largest := 0, 0
	for i, n := range counts {
		if n > 0 {
			out[i] = max(1, n*room/total)
		}
		used += out[i]
		if out[i] > out[largest] {
			largest = i
		}
	}
	out[largest] -= max(0, used-room)
	return out
}

func describeAutoscaler(a *status.Autoscaler) string {
	if a == nil {
		return ""
	}
	by := "autoscaled"
	if a.Keda {
		by = "scaled by KEDA"
	}
	text := fmt.Sprintf("%s %d to %d", by, a.Min, a.Max)
	if a.Current != a.Desired {
		text += fmt.Sprintf(", %d → %d", a.Current, a.Desired)
	}
	if limit := a.Limit.Describe(); limit != "" {
		text += ", " + limit
	}
	if a.Message != "" {
		text += "  " + bad.Render(a.Message)
	}
	return text
}

func podNames(p *status.Problem) string {
	switch n := len(p.Pods); n {
	case 0:
		return "no pod"
	case 1:
		return p.Pods[0]
	default:
		return fmt.Sprintf("%s +%d", p.Pods[0], n-1)
	}
}

func (m Model) problemAge(p *status.Problem) string {
	if p.Since == nil {
		return "-"
	}
	return status.Age(*p.Since, m.now)
}
