package tui

import (
	"cmp"
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"gati.dev/gati/pkg/status"
)

// orderedItems returns the shown items: those that need attention first, the worst on
// top, in any namespace.
func (m Model) orderedItems() []*status.Item {
	items := slices.DeleteFunc(m.snap.Items(), func(i *status.Item) bool {
		return !m.filter.matches(i.Namespace, i.Name, string(i.Health), i.Reason)
	})
	slices.SortStableFunc(items, func(a, b *status.Item) int {
		return cmp.Or(cmp.Compare(attentionGroup(a), attentionGroup(b)), cmp.Compare(status.Severity(b.Health), status.Severity(a.Health)),
			cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name))
	})
	return items
}

// attentionGroup is 0 for an item that needs attention, else 1.
func attentionGroup(i *status.Item) int {
	if status.NeedsAttention(i.Health) {
		return 0
	}
	return 1
}

// pressList handles a key of the list.
func (m Model) pressList(k string) (Model, tea.Cmd) {
	items := m.orderedItems()
	if len(items) == 0 {
		return m, nil
	}
	at := max(0, slices.IndexFunc(items, func(i *status.Item) bool { return keyOf(i) == m.focus }))
	if keyOpen.isKey(k) {
		m.focus = keyOf(items[at])
		m.filter = filter{}
		m = m.withPage(page{kind: itemPage})
		return m, m.askRights()
	}
	m.focus = keyOf(items[moveCursor(k, at, len(items))])
	return m, nil
}

// listLines returns the lines of the list and the index of the cursor.
func (m Model) listLines() (lines []string, cursor int) {
	items := m.orderedItems()
	if len(items) == 0 {
		return []string{faint.Render("nothing to show")}, 0
	}
	focused := slices.ContainsFunc(items, func(i *status.Item) bool { return keyOf(i) == m.focus })
	rows := make([][]string, len(items))
	for i, item := range items {
		rows[i] = m.listRow(item)
	}
	all, needing := alignColumns(rows, m.width), 0
	for _, item := range items {
		needing += 1 - attentionGroup(item)
	}
	for i, item := range items {
		if i == 0 && needing > 0 {
			lines = append(lines, bold.Render(fmt.Sprintf("Needs attention (%d)", needing)))
		}
		if i == needing {
			if i > 0 {
				lines = append(lines, "")
			}
			lines = append(lines, bold.Render(fmt.Sprintf("Others (%d)", len(items)-needing)))
		}
		line := all[i]
		if keyOf(item) == m.focus || !focused && i == 0 {
			line, cursor = "▸"+line[1:], len(lines)
		}
		lines = append(lines, line)
	}
	return lines, cursor
}

func (m Model) listRow(i *status.Item) []string {
	sign, style := styleFor(i.Health)
	var row []string
	if m.snap.Namespace == "" {
		row = append(row, i.Namespace)
	}
	row = append(row, shortName(i), style.Render(sign+" "+string(i.Health)))
	if m.width >= 60 {
		row = append(row, m.versionFor(i), fmt.Sprintf("%d/%d", i.Ready, i.Desired), status.Age(i.CreatedAt, m.now))
	}
	if i.Health == status.Healthy {
		return append(row, "")
	}
	return append(row, i.Reason)
}

func (m Model) versionFor(i *status.Item) string {
	for n := range m.snap.Handlers {
		if h := &m.snap.Handlers[n]; &h.Item == i {
			return cmp.Or(h.Version, "-")
		}
	}
	return "-"
}

// shortName returns the name of an item as users type it.
func shortName(i *status.Item) string {
	if i.Kind == status.KindModule {
		return "gm/" + i.Name
	}
	return "gh/" + i.Name
}

// listHead has the number of items that need attention and the reason of the one under
// the cursor.
func (m Model) listHead() []string {
	lines := []string{alignEnds(bold.Render(cmp.Or(m.snap.Namespace, "all namespaces")), headSummary(&m.snap), m.width)}
	item := m.focusedItem()
	if items := m.orderedItems(); len(items) > 0 && (item == nil || !slices.Contains(items, item)) {
		item = items[0]
	}
	if item != nil {
		_, style := styleFor(item.Health)
		for _, line := range wrapText(shortName(item)+": "+item.Reason, m.width, m.maxSentenceLines()) {
			lines = append(lines, style.Render(line))
		}
		if item.Next != "" {
			lines = append(lines, wrapText("→ "+item.Next, m.width, 1)...)
		}
	}
	return append(lines, "")
}

// headSummary counts the items that need attention.
func headSummary(s *status.Snapshot) string {
	all := s.Items()
	needing, healthy := 0, 0
	for _, i := range all {
		switch {
		case status.NeedsAttention(i.Health):
			needing++
		case i.Health == status.Healthy:
			healthy++
		}
	}
	switch {
	case len(all) == 0 && !isReadable(s):
		return bad.Render("✖ nothing could be read")
	case len(all) == 0:
		return faint.Render("no handlers or modules")
	case needing == 1:
		return bad.Render(fmt.Sprintf("✖ 1 of %d needs attention", len(all)))
	case needing > 0:
		return bad.Render(fmt.Sprintf("✖ %d of %d need attention", needing, len(all)))
	case healthy < len(all):
		return busy.Render(fmt.Sprintf("◌ %d of %d healthy", healthy, len(all)))
	default:
		return good.Render("✔ all healthy")
	}
}
