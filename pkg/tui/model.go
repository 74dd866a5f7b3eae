package tui

import (
	"maps"
	"sync/atomic"
	"time"

	"charm.land/bubbles/v2/viewport"
	tea "charm.land/bubbletea/v2"

	"gati.dev/gati/pkg/status"
)

// Model is the view. It depends on the messages so far only.
type Model struct {
	snap      status.Snapshot
	snapshots <-chan status.Snapshot
	backend   Backend
	// done reports whether a snapshot ends the view; nil for never.
	done func(*status.Snapshot) bool
	// now is the moment of the countdowns.
	now    time.Time
	trends trends
	// lostAt is when the connection was lost, zero while connected.
	lostAt time.Time

	pages  []page
	focus  itemKey
	rights map[Target]Rights
	asking asking
	filter filter
	note   string

	body          viewport.Model
	width, height int
	ascii         bool
	// drawn counts the views; copies of a model share it.
	drawn *atomic.Int64

	interrupted, reached bool
}

// page is the content of the screen. Pages are stacked: esc removes the top one.
type page struct {
	kind pageKind
	// chosen is the version under the cursor, text the result of a comparison.
	chosen string
	text   string
}

type pageKind int

const (
	listPage pageKind = iota
	itemPage
	versionsPage
	comparedPage
	helpPage
)

// itemKey identifies an item.
type itemKey struct{ kind, namespace, name string }

func keyOf(i *status.Item) itemKey { return itemKey{i.Kind, i.Namespace, i.Name} }

// newModel returns a model for the options, on a terminal of usual size.
func newModel(o Options) Model {
	m := Model{
		snapshots: o.Snapshots, backend: o.Backend, done: o.Done, ascii: o.ASCII,
		trends: trends{}, rights: map[Target]Rights{}, pages: []page{{kind: listPage}},
		body: viewport.New(), width: 80, height: 24, drawn: &atomic.Int64{},
	}
	if o.One {
		m.pages = []page{{kind: itemPage}}
	}
	m = m.withSnapshot(o.First)
	if items := m.orderedItems(); len(items) > 0 {
		m.focus = keyOf(items[0])
	}
	return m.withLayout()
}

// The messages of commands.
type (
	// snapshotMsg is a new snapshot; closedMsg ends them.
	snapshotMsg status.Snapshot
	closedMsg   struct{}
	// tickMsg is sent every second.
	tickMsg time.Time
	// rightsMsg has the denied verbs of a handler.
	rightsMsg struct {
		of     Target
		rights Rights
	}
	// comparedMsg is the comparison of two versions.
	comparedMsg struct {
		text string
		err  error
	}
)

// waitSnapshot waits for the next snapshot. The feed sends one for each burst.
func (m Model) waitSnapshot() tea.Msg {
	s, more := <-m.snapshots
	if !more {
		return closedMsg{}
	}
	return snapshotMsg(s)
}

func tickSecond() tea.Cmd {
	return tea.Tick(time.Second, func(t time.Time) tea.Msg { return tickMsg(t) })
}

// Init waits for snapshots and asks for the user's rights.
func (m Model) Init() tea.Cmd {
	return tea.Batch(m.waitSnapshot, tickSecond(), m.askRights())
}

// Update handles one message.
func (m Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
		return m.withLayout(), nil
	case snapshotMsg:
		return m.receiveSnapshot(status.Snapshot(msg))
	case closedMsg:
		return m, tea.Quit
	case tickMsg:
		return m.withTime(time.Time(msg)).withLayout(), tickSecond()
	case rightsMsg:
		m.rights = maps.Clone(m.rights)
		m.rights[msg.of] = msg.rights
		return m.withLayout(), nil
	case previewMsg, outcomeMsg:
		return m.withAnswer(msg).withLayout(), nil
	case comparedMsg:
		return m.withComparison(msg).withLayout(), nil
	case tea.KeyPressMsg:
		return m.pressKey(msg)
	}
	return m, nil
}

// receiveSnapshot takes a snapshot, and ends the view when done.
func (m Model) receiveSnapshot(s status.Snapshot) (tea.Model, tea.Cmd) {
	m = m.withSnapshot(s)
	if m.done != nil && s.IsComplete() && m.lostAt.IsZero() && m.done(&m.snap) {
		m.reached = true
		return m.withLayout(), tea.Quit
	}
	return m.withLayout(), m.waitSnapshot
}

// topPage is the shown page.
func (m Model) topPage() page { return m.pages[len(m.pages)-1] }

// withPage pushes a page, withoutPage removes the top one.
func (m Model) withPage(p page) Model {
	m.pages = append(m.pages[:len(m.pages):len(m.pages)], p)
	m.note = ""
	m.body.GotoTop()
	return m
}

func (m Model) withoutPage() Model {
	if len(m.pages) > 1 {
		m.pages = m.pages[:len(m.pages)-1]
		m.body.GotoTop()
	}
	m.note = ""
	return m
}

// withTop replaces the shown page.
func (m Model) withTop(p page) Model {
	m.pages = append(m.pages[:len(m.pages)-1:len(m.pages)-1], p)
	return m
}

// focusedItem returns the item in focus, nil when it was deleted; focusedHandler the
// same where it is a handler.
func (m Model) focusedItem() *status.Item {
	for _, item := range m.snap.Items() {
		if keyOf(item) == m.focus {
			return item
		}
	}
	return nil
}

func (m Model) focusedHandler() *status.Handler {
	for i := range m.snap.Handlers {
		if h := &m.snap.Handlers[i]; keyOf(&h.Item) == m.focus {
			return h
		}
	}
	return nil
}

func (m Model) focusedModule() *status.Module {
	for i := range m.snap.Modules {
		if mod := &m.snap.Modules[i]; keyOf(&mod.Item) == m.focus {
			return mod
		}
	}
	return nil
}
