package tui

import (
	"fmt"
	"strings"

	"gati.dev/gati/pkg/status"
)

// podLines draw the pods as dots and name those with problems.
func (m Model) podLines(item *status.Item) []string {
	if item.Desired == 0 && item.Ready == 0 && len(item.Problems) == 0 {
		return nil
	}
	lines := []string{fmt.Sprintf("  %s %d of %d ready", dots(item, m.width/2), item.Ready, item.Desired)}
	var rows [][]string
	for i := range item.Problems {
		p := &item.Problems[i]
		sign, style := "!", busy
		if p.Blocking {
			sign, style = "✖", bad
		}
		rows = append(rows, []string{style.Render(sign + " " + who(p)), m.since(p), p.Summary()})
	}
	return section("Pods", append(lines, columns(rows)...))
}

// dots draws one dot for each pod, as far as there is room.
func dots(item *status.Item, room int) string {
	ready := min(int(item.Ready), room)
	open := min(max(0, int(item.Desired-item.Ready)), room-ready)
	return good.Render(strings.Repeat("●", ready)) + busy.Render(strings.Repeat("○", open))
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
