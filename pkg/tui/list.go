package tui

import (
	"cmp"
	"fmt"
	"slices"

	tea "charm.land/bubbletea/v2"

	"gati.dev/gati/pkg/status"
)

// ordered are the items that are shown: what needs somebody first, the worst of it
// on top, wherever it is.
func (m Model) ordered() []*status.Item {
	items := slices.DeleteFunc(m.snap.Items(), func(i *status.Item) bool {
		return !m.filter.passes(i.Namespace, i.Name, string(i.Health), i.Reason)
	})
	slices.SortStableFunc(items, func(a, b *status.Item) int {
		return cmp.Or(cmp.Compare(group(a), group(b)), cmp.Compare(order(a), order(b)),
			cmp.Compare(a.Namespace, b.Namespace), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Name, b.Name))
	})
	return items
}

// group is 0 for what needs somebody.
func group(i *status.Item) int {
	if i.Health.NeedsSomebody() {
		return 0
	}
	return 1
}

// order puts the worst first, and in the second group what is on its way.
func order(i *status.Item) int {
	return slices.Index([]status.Health{
		status.Failed, status.Degraded, status.RolledBack, status.Paused, status.Deleting, status.Progressing, status.Healthy,
	}, i.Health)
}

// pressList takes a key of the list.
func (m Model) pressList(k string) (Model, tea.Cmd) {
	items := m.ordered()
	if len(items) == 0 {
		return m, nil
	}
	at := max(0, slices.IndexFunc(items, func(i *status.Item) bool { return keyOf(i) == m.focus }))
	if keyOpen.is(k) {
		m.focus = keyOf(items[at])
		m.filter = filter{}
		m = m.opened(page{kind: itemPage})
		return m, m.askRights()
	}
	m.focus = keyOf(items[moved(k, at, len(items))])
	return m, nil
}

// listLines are the lines of the list and which of them has the cursor.
func (m Model) listLines() (lines []string, cursor int) {
	items := m.ordered()
	if len(items) == 0 {
		return []string{faint.Render("nothing to show")}, 0
	}
	focused := slices.ContainsFunc(items, func(i *status.Item) bool { return keyOf(i) == m.focus })
	rows := make([][]string, len(items))
	for i, item := range items {
		rows[i] = m.listRow(item)
	}
	all, needing := columns(rows), 0
	for _, item := range items {
		needing += 1 - group(item)
	}
	for i, item := range items {
		if i == 0 && needing > 0 {
			lines = append(lines, bold.Render(fmt.Sprintf("Needs you (%d)", needing)))
		}
		if i == needing {
			if i > 0 {
				lines = append(lines, "")
			}
			lines = append(lines, bold.Render(fmt.Sprintf("The others (%d)", len(items)-needing)))
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
	sign, style := look(i.Health)
	var row []string
	if m.snap.Namespace == "" {
		row = append(row, i.Namespace)
	}
	row = append(row, short(i), style.Render(sign+" "+string(i.Health)))
	if m.width >= 60 {
		row = append(row, m.versionOf(i), fmt.Sprintf("%d/%d", i.Ready, i.Desired), m.snap.Age(i.CreatedAt))
	}
	if i.Health == status.Healthy {
		return append(row, "")
	}
	return append(row, i.Reason)
}

func (m Model) versionOf(i *status.Item) string {
	for n := range m.snap.Handlers {
		if h := &m.snap.Handlers[n]; &h.Item == i {
			return cmp.Or(h.Version, "-")
		}
	}
	return "-"
}

// short names an item as people type it.
func short(i *status.Item) string {
	if i.Kind == status.KindModule {
		return "gm/" + i.Name
	}
	return "gh/" + i.Name
}

// listHead tells how many there are, and the reason of the one under the cursor.
func (m Model) listHead() []string {
	all, needing := m.snap.Items(), 0
	for _, i := range all {
		needing += 1 - group(i)
	}
	right := good.Render("✔ nobody is needed")
	if needing > 0 {
		right = bad.Render(fmt.Sprintf("✖ %d of %d need you", needing, len(all)))
	}
	lines := []string{spread(bold.Render(cmp.Or(m.snap.Namespace, "all namespaces")), right, m.width)}
	item := m.item()
	if items := m.ordered(); len(items) > 0 && (item == nil || !slices.Contains(items, item)) {
		item = items[0]
	}
	if item != nil {
		_, style := look(item.Health)
		for _, line := range wrapped(short(item)+": "+item.Reason, m.width, m.few()) {
			lines = append(lines, style.Render(line))
		}
		if item.Next != "" {
			lines = append(lines, wrapped("→ "+item.Next, m.width, 1)...)
		}
	}
	return append(lines, "")
}
