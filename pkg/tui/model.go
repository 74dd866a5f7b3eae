package tui

import (
	"maps"
	"sync/atomic"
	"time"

	"charm.land/bubbles/v2/viewport"
	tea "charm.land/bubbletea/v2"

	"gati.dev/gati/pkg/status"
)

// Model is the view. What it shows follows from the messages so far alone.
type Model struct {
	snap      status.Snapshot
	snapshots <-chan status.Snapshot
	backend   Backend
	// done tells that a snapshot is what is waited for; nil waits for nothing.
	done func(*status.Snapshot) bool
	// now is the moment that countdowns are drawn for.
	now    time.Time
	trends trends
	// lostAt is since when there is no connection, zero while there is.
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
	// drawn counts the views; it is shared by the copies of a model.
	drawn *atomic.Int64

	interrupted, reached bool
}

// page is what the screen shows. The pages lie upon each other: esc goes back.
type page struct {
	kind pageKind
	// chosen is the version under the cursor, and text what was compared.
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

// itemKey tells items apart.
type itemKey struct{ kind, namespace, name string }

func keyOf(i *status.Item) itemKey { return itemKey{i.Kind, i.Namespace, i.Name} }

// newModel returns a model of what the options say, on a terminal of usual size.
func newModel(o Options) Model {
	m := Model{
		snapshots: o.Snapshots, backend: o.Backend, done: o.Done, ascii: o.ASCII,
		trends: trends{}, rights: map[Target]Rights{}, pages: []page{{kind: listPage}},
		body: viewport.New(), width: 80, height: 24, drawn: &atomic.Int64{},
	}
	if o.One {
		m.pages = []page{{kind: itemPage}}
	}
	m = m.taken(o.First)
	if items := m.ordered(); len(items) > 0 {
		m.focus = keyOf(items[0])
	}
	return m.laidOut()
}

// What commands bring.
type (
	// snapshotMsg brings a new snapshot; closedMsg says that none follows.
	snapshotMsg status.Snapshot
	closedMsg   struct{}
	// tickMsg is that a second has passed.
	tickMsg time.Time
	// rightsMsg brings what the user may ask of a handler.
	rightsMsg struct {
		of     Target
		rights Rights
	}
	// comparedMsg brings the text about two versions.
	comparedMsg struct {
		text string
		err  error
	}
)

// waitSnapshot waits for the next snapshot. The feed has made one of each burst.
func (m Model) waitSnapshot() tea.Msg {
	s, more := <-m.snapshots
	if !more {
		return closedMsg{}
	}
	return snapshotMsg(s)
}

func tick() tea.Cmd { return tea.Tick(time.Second, func(t time.Time) tea.Msg { return tickMsg(t) }) }

// Init starts to wait for snapshots, and asks what the user may do.
func (m Model) Init() tea.Cmd {
	return tea.Batch(m.waitSnapshot, tick(), m.askRights())
}

// Update takes one message.
func (m Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
		return m.laidOut(), nil
	case snapshotMsg:
		return m.seen(status.Snapshot(msg))
	case closedMsg:
		return m, tea.Quit
	case tickMsg:
		m.now = time.Time(msg)
		return m.laidOut(), tick()
	case rightsMsg:
		m.rights = maps.Clone(m.rights)
		m.rights[msg.of] = msg.rights
		return m.laidOut(), nil
	case previewMsg, outcomeMsg:
		return m.answered(msg).laidOut(), nil
	case comparedMsg:
		return m.compared(msg).laidOut(), nil
	case tea.KeyPressMsg:
		return m.press(msg)
	}
	return m, nil
}

// seen takes a snapshot, and leaves when it is what was waited for.
func (m Model) seen(s status.Snapshot) (tea.Model, tea.Cmd) {
	m = m.taken(s)
	if m.done != nil && s.Whole() && m.lostAt.IsZero() && m.done(&m.snap) {
		m.reached = true
		return m.laidOut(), tea.Quit
	}
	return m.laidOut(), m.waitSnapshot
}

// top is the page that is shown.
func (m Model) top() page { return m.pages[len(m.pages)-1] }

// opened lays a page upon those there are, and back takes the top one away.
func (m Model) opened(p page) Model {
	m.pages = append(m.pages[:len(m.pages):len(m.pages)], p)
	m.note = ""
	m.body.GotoTop()
	return m
}

func (m Model) back() Model {
	if len(m.pages) > 1 {
		m.pages = m.pages[:len(m.pages)-1]
		m.body.GotoTop()
	}
	m.note = ""
	return m
}

// withTop replaces the page that is shown.
func (m Model) withTop(p page) Model {
	m.pages = append(m.pages[:len(m.pages)-1:len(m.pages)-1], p)
	return m
}

// item returns what is in focus, nil when it is gone; handler the same where it is
// a handler.
func (m Model) item() *status.Item {
	for _, item := range m.snap.Items() {
		if keyOf(item) == m.focus {
			return item
		}
	}
	return nil
}

func (m Model) handler() *status.Handler {
	for i := range m.snap.Handlers {
		if h := &m.snap.Handlers[i]; keyOf(&h.Item) == m.focus {
			return h
		}
	}
	return nil
}

func (m Model) module() *status.Module {
	for i := range m.snap.Modules {
		if mod := &m.snap.Modules[i]; keyOf(&mod.Item) == m.focus {
			return mod
		}
	}
	return nil
}
