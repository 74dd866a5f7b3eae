package tui

import (
	"fmt"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"gati.dev/gati/pkg/status"
	"gati.dev/gati/pkg/status/statustest"
)

// sizes are the terminals that the views are drawn for.
var sizes = [][2]int{{80, 24}, {120, 40}, {40, 10}}

// newTestModel returns a model of a scenario's first item on a terminal.
func newTestModel(objs status.Objects, width, height int) Model {
	s := status.Build(objs, statustest.Now)
	if len(s.Handlers) > 0 {
		s.Handlers, s.Modules = s.Handlers[:1], nil
	}
	m := NewModel(s, nil)
	return send(m, tea.WindowSizeMsg{Width: width, Height: height})
}

func send(m Model, messages ...tea.Msg) Model {
	for _, msg := range messages {
		next, _ := m.Update(msg)
		m = next.(Model)
	}
	return m
}

func press(keys ...string) []tea.Msg {
	named := map[string]rune{"up": tea.KeyUp, "down": tea.KeyDown, "end": tea.KeyEnd, "home": tea.KeyHome}
	var out []tea.Msg
	for _, k := range keys {
		if code, ok := named[k]; ok {
			out = append(out, tea.KeyPressMsg{Code: code})
			continue
		}
		out = append(out, tea.KeyPressMsg{Code: rune(k[0]), Text: k})
	}
	return out
}

// plain is the view without colours, and without blanks that nobody sees.
func plain(m Model) string {
	lines := strings.Split(ansi.Strip(m.View().Content), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n") + "\n"
}

func TestViewGolden(t *testing.T) {
	for name, objs := range statustest.Scenarios() {
		for _, size := range sizes {
			t.Run(fmt.Sprintf("%s-%dx%d", name, size[0], size[1]), func(t *testing.T) {
				m := newTestModel(objs, size[0], size[1])
				got := plain(m)
				statustest.Golden(t, fmt.Sprintf("%s-%dx%d.txt", name, size[0], size[1]), got)
				fits(t, got, size[0], size[1])
			})
		}
	}
}

// fits holds that a view is exactly as large as its terminal.
func fits(t *testing.T, view string, width, height int) {
	t.Helper()
	lines := strings.Split(strings.TrimSuffix(view, "\n"), "\n")
	if len(lines) != height {
		t.Errorf("%d lines on a terminal of %d", len(lines), height)
	}
	for i, line := range lines {
		if w := lipgloss.Width(line); w > width {
			t.Errorf("line %d is %d wide on a terminal of %d: %s", i+1, w, width, line)
		}
	}
}

func TestHelpGolden(t *testing.T) {
	m := send(newTestModel(statustest.Healthy(), 80, 24), press("?")...)
	statustest.Golden(t, "help-80x24.txt", plain(m))
	if again := plain(send(m, press("?")...)); !strings.Contains(again, "Conditions") {
		t.Errorf("a second ? does not go back:\n%s", again)
	}
}

func TestScroll(t *testing.T) {
	m := newTestModel(statustest.Canary(), 80, 12)
	top := plain(m)
	down := send(m, press("down", "j")...)
	if plain(down) == top {
		t.Error("down does not scroll")
	}
	if got := plain(send(down, press("up", "k")...)); got != top {
		t.Errorf("up does not lead back:\n%s", got)
	}
	end := send(m, press("end")...)
	if !strings.Contains(plain(end), "Reconciling") {
		t.Errorf("end does not show the last line:\n%s", plain(end))
	}
	if got := plain(send(end, press("home")...)); got != top {
		t.Errorf("home does not lead to the top:\n%s", got)
	}
	if !strings.Contains(top, "users") || !strings.Contains(plain(end), "50 % in 3m") {
		t.Error("the reason is not always in sight")
	}
}

// TestScrollStays holds that a snapshot does not move what is being read, and
// that a shorter one leaves no hole.
func TestScrollStays(t *testing.T) {
	m := send(newTestModel(statustest.Canary(), 80, 12), press("down")...)
	same := send(m, snapshotMsg(m.snap))
	if plain(same) != plain(m) {
		t.Errorf("the same snapshot moved the view:\n%s", plain(same))
	}
	m = send(m, press("end")...)
	short := send(m, snapshotMsg(status.Build(statustest.Stalled(), statustest.Now)))
	if !strings.Contains(plain(short), "ForeignChild") {
		t.Errorf("the view shows nothing:\n%s", plain(short))
	}
}

func TestGone(t *testing.T) {
	m := send(newTestModel(statustest.Healthy(), 80, 24), snapshotMsg(status.Build(status.Objects{}, statustest.Now)))
	if got := plain(m); !strings.Contains(got, "gone") {
		t.Errorf("got\n%s", got)
	}
}

func TestLeave(t *testing.T) {
	cases := map[string]struct {
		msg             tea.Msg
		wantInterrupted bool
	}{
		"q":            {msg: tea.KeyPressMsg{Code: 'q', Text: "q"}},
		"ctrl+c":       {msg: tea.KeyPressMsg{Code: 'c', Mod: tea.ModCtrl}, wantInterrupted: true},
		"feed is over": {msg: closedMsg{}},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			next, cmd := newTestModel(statustest.Healthy(), 80, 24).Update(tc.msg)
			if cmd == nil {
				t.Fatal("does not leave")
			}
			if _, ok := cmd().(tea.QuitMsg); !ok {
				t.Error("does not leave")
			}
			if got := next.(Model).interrupted; got != tc.wantInterrupted {
				t.Errorf("interrupted %v, want %v", got, tc.wantInterrupted)
			}
		})
	}
}

func TestWaitSnapshot(t *testing.T) {
	feed := make(chan status.Snapshot, 1)
	m := NewModel(status.Snapshot{}, feed)
	feed <- status.Build(statustest.Healthy(), statustest.Now)
	msg := m.Init()()
	if got := send(m, msg); got.item() == nil {
		t.Error("the snapshot is not shown")
	}
	close(feed)
	if _, ok := m.waitSnapshot().(closedMsg); !ok {
		t.Error("the end of the feed is not noticed")
	}
}
