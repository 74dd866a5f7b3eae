package tui

import (
	"errors"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/google/go-cmp/cmp"

	"gati.dev/gati/internal/testing/statustest"
	"gati.dev/gati/pkg/status"
)

// TestKeys presses keys and holds what is asked of the handler, and what the view
// says.
func TestKeys(t *testing.T) {
	users := Target{statustest.Namespace, "users"}
	cases := map[string]struct {
		objs  status.Objects
		keys  []string
		deny  Rights
		fails error
		want  []Request
		says  string
		not   string
	}{
		"promote":            {keys: []string{"p", "y"}, want: []Request{{users, Promote, ""}}, says: "promote: v2.0.0 goes on"},
		"promote, first":     {keys: []string{"p"}, says: "v2.0.0 50% → 100% (step 2 → 3 of 3)"},
		"promote, no":        {keys: []string{"p", "n"}, says: "cancelled; nothing changed", not: "y yes"},
		"promote, esc":       {keys: []string{"p", "esc"}, says: "cancelled; nothing changed"},
		"promote, any key":   {keys: []string{"p", "x", "enter", "p"}, says: "y yes"},
		"promote, twice":     {keys: []string{"p", "y", "p", "y"}, want: []Request{{users, Promote, ""}, {users, Promote, ""}}},
		"full":               {keys: []string{"F", "y"}, want: []Request{{users, Promote, Full}}},
		"roll back":          {keys: []string{"r", "y"}, want: []Request{{users, Rollback, "v1.0.0"}}},
		"abort":              {keys: []string{"a", "y"}, want: []Request{{users, Abort, ""}}},
		"retry":              {objs: statustest.Rejected(), keys: []string{"t", "y"}, want: []Request{{users, Retry, ""}}},
		"retry or abort":     {objs: statustest.RolloutFailed(), says: "a abort  t try again"},
		"nothing to retry":   {keys: []string{"t"}, not: "y yes"},
		"pause":              {keys: []string{"space", "y"}, want: []Request{{users, Pause, ""}}},
		"resume":             {objs: statustest.Frozen(), keys: []string{"space", "y"}, want: []Request{{users, Resume, ""}}},
		"restart":            {keys: []string{"R", "y"}, want: []Request{{users, Restart, ""}}},
		"y alone":            {keys: []string{"y"}, not: "promote:"},
		"denied":             {keys: []string{"p"}, deny: Rights{Promote: noRight}, says: "promote: you have no right"},
		"denied is grey":     {deny: Rights{Promote: noRight}, says: "× promote  × full  r roll back"},
		"others are not":     {keys: []string{"a", "y"}, deny: Rights{Promote: noRight}, want: []Request{{users, Abort, ""}}},
		"refused":            {keys: []string{"p"}, fails: errors.New("not today"), says: "promote: not today"},
		"nothing to promote": {objs: statustest.Draining(), keys: []string{"p"}, says: "promote: no rollout is running"},
		"nothing to abort":   {objs: statustest.Draining(), keys: []string{"a"}, says: "abort: no rollout is running"},
		"a version before":   {objs: statustest.Draining(), keys: []string{"r", "y"}, want: []Request{{users, Rollback, "v1.0.0"}}},
		"none before":        {objs: statustest.FrozenIdle(), keys: []string{"r"}, says: "no earlier version"},
		"manual":             {objs: statustest.Manual(), keys: []string{"p"}, says: "set-traffic"},
		"back to one":        {objs: statustest.Draining(), keys: []string{"v", "down", "r", "y"}, want: []Request{{users, Rollback, "v1.0.0"}}},
		"back to what is":    {objs: statustest.Draining(), keys: []string{"v", "r"}, says: "v2.0.0 already serves"},
		"back, denied":       {objs: statustest.Draining(), keys: []string{"v", "down", "r"}, deny: Rights{Rollback: noRight}, says: "rollback: you have no right"},
		"compare":            {keys: []string{"v", "d"}, says: "added-required"},
		"compare, itself":    {keys: []string{"v", "down", "d"}, says: "v1.0.0 is the stable version"},
		"compare, back":      {keys: []string{"v", "d", "esc", "esc"}, says: "p promote"},
		"help":               {keys: []string{"?"}, says: "ctrl+c"},
		"help, twice":        {keys: []string{"?", "?"}, says: "p promote"},
		"back at the bottom": {keys: []string{"esc", "esc"}, says: "p promote"},
		"filter":             {objs: statustest.RollingBack(), keys: []string{"/", "j", "a", "n", "e"}, says: "Refused", not: "Started"},
		"filter, all":        {objs: statustest.RollingBack(), keys: []string{"/", "j", "a", "n", "e", "enter", "esc"}, says: "Started"},
		"filter, backspace":  {objs: statustest.RollingBack(), keys: []string{"/", "j", "backspace", "s", "t", "a", "r"}, says: "Started", not: "Refused"},
		"keys are letters":   {keys: []string{"/", "q", "p", "y"}, says: "/qpy"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			backend := willing()
			backend.rights, backend.preview.Err = tc.deny, tc.fails
			if tc.objs.Handlers == nil {
				tc.objs = statustest.AtStep()
			}
			m := sized(open(tc.objs, backend), 100, 45)
			m = press(send(m, rightsMsg{users, tc.deny}), tc.keys...)
			if tc.says != "" && tc.want == nil && m.asking.state == notAsking {
				press(m, "y") // which must ask nothing then
			}
			if diff := cmp.Diff(tc.want, backend.asked); diff != "" {
				t.Errorf("asked (-want,+got):\n%s", diff)
			}
			got := plain(m)
			if tc.says != "" && !strings.Contains(got, tc.says) {
				t.Errorf("does not say %q:\n%s", tc.says, got)
			}
			if tc.not != "" && strings.Contains(got, tc.not) {
				t.Errorf("says %q:\n%s", tc.not, got)
			}
		})
	}
}

// TestLateAnswers holds that the answer to a request that was given up is not taken
// for one to the next.
func TestLateAnswers(t *testing.T) {
	m := open(statustest.AtStep(), willing())
	next, late := m.Update(keyOfName("p"))
	m = press(next.(Model), "n")
	next, _ = m.Update(keyOfName("a"))
	m = send(next.(Model), late())
	if got := plain(m); strings.Contains(got, "y yes") || !strings.Contains(got, "abort users?") {
		t.Errorf("the answer to promote is taken for one to abort:\n%s", got)
	}
}

// TestList moves about in the list.
func TestList(t *testing.T) {
	m := sized(list(twoTeams(), willing()), 100, 30)
	chosen := func(m Model) string { return m.focusedItem().Namespace + "/" + m.focusedItem().Name }
	if got := chosen(m); got != "market/orders" {
		t.Errorf("the worst is not on top, but %s", got)
	}
	m = press(m, "down")
	if got := chosen(m); got != "shop/users" {
		t.Errorf("down leads to %s", got)
	}
	better := status.Build(twoTeams(), statustest.Now)
	better.Handlers = slices.DeleteFunc(better.Handlers, func(h status.Handler) bool { return h.Health == status.Failed })
	if got := chosen(send(m, snapshotMsg(better))); got != "shop/users" {
		t.Errorf("a snapshot moved the cursor to %s", got)
	}
	m = press(m, "enter")
	if got := plain(m); !strings.Contains(got, "ImagePullBackOff") || !strings.Contains(got, "R restart") {
		t.Errorf("enter does not open it:\n%s", got)
	}
	if got := plain(press(m, "esc")); !strings.Contains(got, "Needs attention (2)") {
		t.Errorf("esc does not lead back:\n%s", got)
	}
	empty := press(list(status.Objects{Namespace: "shop"}, nil), "down", "enter", "?", "esc")
	if got := plain(send(empty, snapshotMsg(better))); !strings.Contains(got, "▸ shop    gh/users") {
		t.Errorf("what comes later is not shown:\n%s", got)
	}
}

// TestLongList holds that the cursor stays in sight.
func TestLongList(t *testing.T) {
	var objs status.Objects
	for n := range 200 {
		objs.Handlers = append(objs.Handlers, statustest.MakeHandler("h"+string(rune('a'+n/26))+string(rune('a'+n%26))).Obj())
	}
	m := list(objs, nil)
	for _, keys := range [][]string{slices.Repeat([]string{"down"}, 60), slices.Repeat([]string{"up"}, 30), {"end"}, {"pgup"}, {"home"}} {
		m = press(m, keys...)
		if got := plain(m); !strings.Contains(got, "▸ shop  gh/"+m.focusedItem().Name) && !strings.Contains(got, "▸ shop    gh/"+m.focusedItem().Name) {
			t.Fatalf("after %s: %s is not in sight:\n%s", keys[0], m.focusedItem().Name, got)
		}
	}
}

func TestScroll(t *testing.T) {
	m := sized(open(statustest.Canary(), willing()), 80, 14)
	top := plain(m)
	down := press(m, "down", "j")
	if plain(down) == top {
		t.Error("down does not scroll")
	}
	if got := plain(press(down, "up", "k")); got != top {
		t.Errorf("up does not lead back:\n%s", got)
	}
	end := press(m, "end")
	if !strings.Contains(plain(end), "Reconciling") {
		t.Errorf("end does not show the last line:\n%s", plain(end))
	}
	if got := plain(press(end, "home")); got != top {
		t.Errorf("home does not lead to the top:\n%s", got)
	}
	if !strings.Contains(top, "users") || !strings.Contains(plain(end), "50 % in 3m") {
		t.Error("the reason is not always in sight")
	}
	if same := send(down, snapshotMsg(down.snap)); plain(same) != plain(down) {
		t.Errorf("the same snapshot moved the view:\n%s", plain(same))
	}
	short := send(end, snapshotMsg(status.Build(statustest.Stalled(), statustest.Now)))
	if !strings.Contains(plain(short), "ForeignObject") {
		t.Errorf("a shorter page shows nothing:\n%s", plain(short))
	}
}

// TestLeave holds what ends the view, and what it says then.
func TestLeave(t *testing.T) {
	reached := func(s *status.Snapshot) bool { return s.Handlers[0].Health == status.Healthy }
	healthy, partly := status.Build(statustest.Healthy(), statustest.Now), status.Build(loading(), statustest.Now)
	partly.Handlers[0].Health = status.Healthy
	cases := map[string]struct {
		keys        []string
		msg         tea.Msg
		leaves      bool
		interrupted bool
		reached     bool
	}{
		"q":                  {msg: keyOfName("q"), leaves: true},
		"ctrl+c":             {msg: keyOfName("ctrl+c"), leaves: true, interrupted: true},
		"ctrl+c, asked":      {keys: []string{"p"}, msg: keyOfName("ctrl+c"), leaves: true, interrupted: true},
		"ctrl+c, typing":     {keys: []string{"/"}, msg: keyOfName("ctrl+c"), leaves: true, interrupted: true},
		"q, asked":           {keys: []string{"p"}, msg: keyOfName("q")},
		"q, typing":          {keys: []string{"/"}, msg: keyOfName("q")},
		"feed is over":       {msg: closedMsg{}, leaves: true},
		"what is waited for": {msg: snapshotMsg(healthy), leaves: true, reached: true},
		"not yet":            {msg: snapshotMsg(status.Build(statustest.AtStep(), statustest.Now))},
		"not all is read":    {msg: snapshotMsg(partly)},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) {
			snapshots := make(chan status.Snapshot)
			close(snapshots) // to wait for one ends at once
			m := open(statustest.AtStep(), willing())
			m.done, m.snapshots = reached, snapshots
			next, cmd := press(m, tc.keys...).Update(tc.msg)
			left := false
			if cmd != nil {
				_, left = cmd().(tea.QuitMsg)
			}
			end := next.(Model)
			if left != tc.leaves || end.interrupted != tc.interrupted || end.reached != tc.reached {
				t.Errorf("left %t, interrupted %t, reached %t", left, end.interrupted, end.reached)
			}
		})
	}
}

// TestGone holds that what was deleted is not shown as if it were there.
func TestGone(t *testing.T) {
	m := send(open(statustest.Healthy(), willing()), snapshotMsg(status.Build(status.Objects{}, statustest.Now)))
	if got := plain(press(m, "p", "v", "y")); !strings.Contains(got, "gone") {
		t.Errorf("got\n%s", got)
	}
}
