package tui

import (
	"charm.land/bubbles/v2/key"
	"charm.land/bubbles/v2/viewport"
	tea "charm.land/bubbletea/v2"

	"gati.dev/gati/pkg/status"
)

// Model is the view. What it shows follows from the snapshot and the size
// alone.
type Model struct {
	snap          status.Snapshot
	snapshots     <-chan status.Snapshot
	keys          keyMap
	body          viewport.Model
	width, height int
	showHelp      bool
	interrupted   bool
}

// NewModel returns a model that shows first until the channel brings more.
func NewModel(first status.Snapshot, snapshots <-chan status.Snapshot) Model {
	return Model{
		snap:      first,
		snapshots: snapshots,
		keys:      newKeyMap(),
		body:      viewport.New(),
		width:     80,
		height:    24,
	}.laidOut()
}

// snapshotMsg brings a new snapshot; closedMsg says that none follows.
type (
	snapshotMsg status.Snapshot
	closedMsg   struct{}
)

// waitSnapshot waits for the next snapshot. The feed has made one of each burst.
func (m Model) waitSnapshot() tea.Msg {
	s, more := <-m.snapshots
	if !more {
		return closedMsg{}
	}
	return snapshotMsg(s)
}

// Init starts to wait for snapshots.
func (m Model) Init() tea.Cmd { return m.waitSnapshot }

// Update takes one message.
func (m Model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
		return m.laidOut(), nil
	case snapshotMsg:
		m.snap = status.Snapshot(msg)
		return m.laidOut(), m.waitSnapshot
	case closedMsg:
		return m, tea.Quit
	case tea.KeyPressMsg:
		return m.press(msg)
	}
	return m, nil
}

// press takes one key.
func (m Model) press(msg tea.KeyPressMsg) (tea.Model, tea.Cmd) {
	switch {
	case msg.String() == "ctrl+c":
		m.interrupted = true
		return m, tea.Quit
	case key.Matches(msg, m.keys.quit):
		return m, tea.Quit
	case key.Matches(msg, m.keys.help):
		m.showHelp = !m.showHelp
		m = m.laidOut()
		m.body.GotoTop()
	case key.Matches(msg, m.keys.up):
		m.body.ScrollUp(1)
	case key.Matches(msg, m.keys.down):
		m.body.ScrollDown(1)
	case key.Matches(msg, m.keys.top):
		m.body.GotoTop()
	case key.Matches(msg, m.keys.bottom):
		m.body.GotoBottom()
	}
	return m, nil
}

// View draws the model.
func (m Model) View() tea.View {
	v := tea.NewView(m.render())
	v.AltScreen = true
	v.WindowTitle = "kubectl gati"
	if item := m.item(); item != nil {
		v.WindowTitle = item.Name + ": " + string(item.Health)
	}
	return v
}

// item returns what is shown, nil when it is gone.
func (m Model) item() *status.Item {
	if items := m.snap.Items(); len(items) > 0 {
		return items[0]
	}
	return nil
}
