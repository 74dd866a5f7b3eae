package tui

import (
	"fmt"
	"strings"

	"gati.dev/gati/pkg/status"
)

// bodyLines are the lines of the part that scrolls.
func (m Model) bodyLines() []string {
	if m.showHelp {
		return m.helpLines()
	}
	var lines []string
	for i := range m.snap.Handlers {
		h := &m.snap.Handlers[i]
		lines = m.facts(&h.Item, h.Path, h.Version, string(h.Strategy))
		lines = append(lines, rolloutLines(h)...)
		lines = append(lines, versionLines(h, m.width)...)
		lines = append(lines, m.tail(&h.Item)...)
		lines = append(lines, m.historyLines(h.Rollout)...)
	}
	for i := range m.snap.Modules {
		item := &m.snap.Modules[i]
		lines = m.facts(&item.Item, string(item.Type), item.Runtime, "")
		lines = append(lines, m.tail(&item.Item)...)
	}
	return lines
}

// facts are the line about what was asked for.
func (m Model) facts(item *status.Item, words ...string) []string {
	words = append(words, item.Image, m.snap.Age(item.CreatedAt)+" old")
	return []string{strings.Join(nonEmpty(words), faint.Render(" · "))}
}

func nonEmpty(words []string) []string {
	var out []string
	for _, w := range words {
		if w != "" {
			out = append(out, w)
		}
	}
	return out
}

// tail are the sections of every item.
func (m Model) tail(item *status.Item) []string {
	lines := m.podLines(item)
	lines = append(lines, autoscalerLines(item)...)
	return append(lines, m.conditionLines(item)...)
}

func section(title string, lines []string) []string {
	if len(lines) == 0 {
		return nil
	}
	return append([]string{"", bold.Render(title)}, lines...)
}

func autoscalerLines(item *status.Item) []string {
	var rows [][]string
	for _, w := range item.Workloads {
		if a := w.Autoscaler; a != nil {
			text := fmt.Sprintf("%d → %d pods, %d to %d", a.Current, a.Desired, a.Min, a.Max)
			rows = append(rows, []string{w.Name, text, bad.Render(a.Message)})
		}
	}
	return section("Autoscaling", columns(rows))
}

func (m Model) conditionLines(item *status.Item) []string {
	var rows [][]string
	for _, c := range item.Conditions {
		rows = append(rows, []string{c.Type, string(c.Status), m.snap.Age(c.Since), c.Reason, c.Message})
	}
	return section("Conditions", columns(rows))
}

func (m Model) helpLines() []string {
	var rows [][]string
	for _, k := range m.keys.all() {
		rows = append(rows, []string{k.Help().Key, k.Help().Desc})
	}
	rows = append(rows, []string{"ctrl+c", "leave with exit code 130"})
	return append([]string{bold.Render("Keys")}, columns(rows)...)
}
