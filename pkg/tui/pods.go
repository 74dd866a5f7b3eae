package tui

import (
	"fmt"
	"strings"

	"charm.land/lipgloss/v2"

	"gati.dev/gati/pkg/status"
)

// podLines draw the pods of each workload as dots, the worst first, with its
// autoscaler, and name those with problems.
func (m Model) podLines(item *status.Item, h *status.Handler) []string {
	var rows [][]string
	for i := range item.Workloads {
		w := &item.Workloads[i]
		if w.Desired == 0 && w.Ready == 0 && w.Autoscaler == nil {
			continue
		}
		rows = append(rows, []string{titleOf(h, w), dots(item, w, m.width/3), fmt.Sprintf("%d of %d ready", w.Ready, w.Desired), scaling(w.Autoscaler)})
	}
	if len(item.Workloads) == 0 && item.Desired > 0 {
		rows = append(rows, []string{fmt.Sprintf("%d of %d ready", item.Ready, item.Desired)})
	}
	lines := columns(rows)
	rows = nil
	for i := range item.Problems {
		p := &item.Problems[i]
		sign, style := "!", busy
		if p.Blocking {
			sign, style = "✖", bad
		}
		rows = append(rows, []string{style.Render(sign + " " + who(p)), m.since(p), p.Summary()})
	}
	return section("Pods", append(lines, columns(m.filter.rows(rows))...))
}

// titleOf names a workload by the version that it runs.
func titleOf(h *status.Handler, w *status.Workload) string {
	if h == nil {
		return w.Deployment
	}
	for i := range h.Versions {
		v := &h.Versions[i]
		if v.Workload == w.Name && v.Phase != "Decommissioned" {
			return titled(v)
		}
	}
	return w.Name
}

// titled is how a version is called, with the number of its template behind it
// where that is not the first.
func titled(v *status.Version) string {
	if v.RevisionNumber > 1 {
		return fmt.Sprintf("%s r%d", v.Version, v.RevisionNumber)
	}
	return v.Version
}

// dots draw one sign for each pod: those that cannot serve, those that are not
// ready yet, those that serve and had trouble, those that are well. Where there is
// no room for all of them, they stand for their shares.
func dots(item *status.Item, w *status.Workload, room int) string {
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
	counts = shrunk(counts, max(4, room))
	var out strings.Builder
	for i, look := range []struct {
		sign  string
		style lipgloss.Style
	}{{"✖", bad}, {"○", busy}, {"◐", busy}, {"●", good}} {
		out.WriteString(look.style.Render(strings.Repeat(look.sign, counts[i])))
	}
	return out.String()
}

// shrunk makes counts fit into room. None that was there disappears.
func shrunk(counts []int, room int) []int {
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

func scaling(a *status.Autoscaler) string {
	if a == nil {
		return ""
	}
	text := fmt.Sprintf("autoscaled %d to %d", a.Min, a.Max)
	if a.Current != a.Desired {
		text += fmt.Sprintf(", %d → %d", a.Current, a.Desired)
	}
	if a.Message != "" {
		text += "  " + bad.Render(a.Message)
	}
	return text
}

func who(p *status.Problem) string {
	switch n := len(p.Pods); n {
	case 0:
		return "no pod"
	case 1:
		return p.Pods[0]
	default:
		return fmt.Sprintf("%s +%d", p.Pods[0], n-1)
	}
}

func (m Model) since(p *status.Problem) string {
	if p.Since == nil {
		return "-"
	}
	return m.snap.Age(*p.Since)
}
