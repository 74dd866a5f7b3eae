package tui

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/detector"
	"gati.dev/gati/internal/testing/golden"
	"gati.dev/gati/internal/testing/statustest"
	"gati.dev/gati/pkg/status"
)

// sizes are the terminals that the views are drawn for.
var sizes = [][2]int{{80, 24}, {120, 40}, {40, 12}}

// answers is a Backend whose answers are given.
type answers struct {
	rights  Rights
	preview Preview
	outcome Outcome
	text    string
	err     error
	asked   []Request
}

func (a *answers) Rights(Target) Rights    { return a.rights }
func (a *answers) Preview(Request) Preview { return a.preview }
func (a *answers) Ask(r Request) Outcome   { a.asked = append(a.asked, r); return a.outcome }
func (a *answers) Compare(_ Target, old, new string) (string, error) {
	return old + " → " + new + a.text, a.err
}

// willing is a Backend that takes everything.
func willing() *answers {
	return &answers{
		preview: Preview{Change: "v2.0.0 50% → 100% (step 2 → 3 of 3)", Undo: "kubectl gati rollout abort users -n shop"},
		outcome: Outcome{Text: "v2.0.0 goes on to 100 %"},
		text:    " of gh/users, BACKWARD: breaks its callers.\n\ninput /age added-required (error)\n  callers of v1.0.0 do not send it",
	}
}

// open returns the page of a scenario's handler users, and list its list.
func open(objs status.Objects, backend Backend) Model {
	s := status.Build(objs, statustest.Now)
	if len(s.Handlers) > 0 {
		at := slices.IndexFunc(s.Handlers, func(h status.Handler) bool { return h.Name == "users" })
		s.Handlers, s.Modules = s.Handlers[at:at+1], nil
	}
	return newModel(Options{First: s, One: true, Backend: backend})
}

func list(objs status.Objects, backend Backend) Model {
	return newModel(Options{First: status.Build(objs, statustest.Now), Backend: backend})
}

// send brings messages to a model.
func send(m Model, messages ...tea.Msg) Model {
	for _, msg := range messages {
		next, _ := m.Update(msg)
		m = next.(Model)
	}
	return m
}

// press presses keys, and brings what the commands of each find.
func press(m Model, keys ...string) Model {
	for _, k := range keys {
		next, cmd := m.Update(keyOfName(k))
		m = next.(Model)
		if cmd != nil {
			m = send(m, cmd())
		}
	}
	return m
}

func keyOfName(name string) tea.KeyPressMsg {
	named := map[string]rune{
		"up": tea.KeyUp, "down": tea.KeyDown, "end": tea.KeyEnd, "home": tea.KeyHome, "esc": tea.KeyEscape, "enter": tea.KeyEnter,
		"backspace": tea.KeyBackspace, "pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown,
	}
	switch code, ok := named[name]; {
	case ok:
		return tea.KeyPressMsg{Code: code}
	case name == "space":
		return tea.KeyPressMsg{Code: tea.KeySpace, Text: " "}
	case name == "ctrl+c":
		return tea.KeyPressMsg{Code: 'c', Mod: tea.ModCtrl}
	default:
		return tea.KeyPressMsg{Code: rune(name[0]), Text: name}
	}
}

func sized(m Model, width, height int) Model {
	return send(m, tea.WindowSizeMsg{Width: width, Height: height})
}

// plain is the view without colours, and without invisible blanks.
func plain(m Model) string {
	lines := strings.Split(ansi.Strip(m.View().Content), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n") + "\n"
}

// views are all that can be seen of a scenario.
func views(objs status.Objects) map[string]Model {
	out := map[string]Model{"1 list": list(objs, willing()), "2 page": open(objs, willing())}
	h := open(objs, willing()).focusedHandler()
	if h == nil {
		return out
	}
	out["3 promotion"] = press(open(objs, willing()), "p")
	out["4 versions"] = press(open(objs, willing()), "v")
	return out
}

// TestViews holds every view of every scenario at every size.
func TestViews(t *testing.T) {
	for name, objs := range statustest.Scenarios() {
		t.Run(name, func(t *testing.T) {
			all := views(objs)
			var out strings.Builder
			for _, view := range slices.Sorted(maps.Keys(all)) {
				for _, size := range sizes {
					got := plain(sized(all[view], size[0], size[1]))
					fmt.Fprintf(&out, "=== %s %dx%d\n%s", view, size[0], size[1], got)
					fits(t, got, size[0], size[1])
				}
			}
			golden.Compare(t, name+".txt", out.String())
		})
	}
}

const noRight = "you have no right to it in shop; the ClusterRole gati-edit grants it"

// TestOtherViews holds the views that are the same whatever the scenario.
func TestOtherViews(t *testing.T) {
	denied := willing()
	denied.rights = Rights{Promote: noRight, Abort: noRight}
	powerless := send(open(statustest.AtStep(), denied), rightsMsg{Target{"shop", "users"}, denied.rights})
	refused := willing()
	refused.preview.Err = errors.New("gatihandlers.gati.dev \"users\" is forbidden: it is a holiday")
	lost := send(open(statustest.AtStep(), willing()), snapshotMsg(without(status.Build(statustest.AtStep(), statustest.Now.Add(8*time.Second)))))
	for name, m := range map[string]Model{
		"help":     press(open(statustest.AtStep(), willing()), "?"),
		"filter":   press(list(twoTeams(), willing()), "/", "o", "r", "d"),
		"filtered": press(list(twoTeams(), willing()), "/", "o", "r", "d", "enter"),
		"teams":    list(twoTeams(), willing()),
		"compared": press(open(statustest.AtStep(), willing()), "v", "d"),
		"denied":   powerless,
		"pressed":  press(powerless, "p"),
		"refused":  press(open(statustest.AtStep(), refused), "r"),
		"asked":    press(open(statustest.AtStep(), willing()), "p", "y"),
		"lost":     lost,
		"again":    send(lost, snapshotMsg(status.Build(statustest.AtStep(), statustest.Now.Add(20*time.Second)))),
		"courses":  measuredOften(),
		"loading":  open(loading(), willing()),
		"shown":    open(statustest.AtStep(), nil),
	} {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			for _, size := range sizes {
				got := plain(sized(m, size[0], size[1]))
				fmt.Fprintf(&out, "=== %dx%d\n%s", size[0], size[1], got)
				fits(t, got, size[0], size[1])
			}
			golden.Compare(t, filepath.Join("other", name+".txt"), out.String())
		})
	}
}

// without is a snapshot whose handlers cannot be read any more.
func without(s status.Snapshot) status.Snapshot {
	s.Handlers, s.Unread = nil, []status.Unread{{Resource: status.ResourceHandlers, Reason: "cannot reach the server 127.0.0.1:6443: connection refused", Since: statustest.Now.Add(-18 * time.Second)}}
	return s
}

// loading is a scenario of which only the handler itself was read.
func loading() status.Objects {
	objs := statustest.AtStep()
	objs.Pods, objs.Deployments = nil, nil
	for _, r := range []string{status.ResourcePods, status.ResourceDeployments, status.ResourceVersions, status.ResourceAutoscalers} {
		objs.Unread = append(objs.Unread, status.Unread{Resource: r, Reason: status.NotYet})
	}
	return objs
}

// twoTeams are two namespaces with something wrong in each.
func twoTeams() status.Objects {
	objs := statustest.ImagePull()
	objs.Namespace = ""
	objs.Handlers = append(objs.Handlers,
		statustest.MakeHandler("orders").In("market").Seen(v1.PhaseFailed, "0/2").
			Condition(v1.ConditionStalled, metav1.ConditionTrue, "ForeignObject", "Service handler-orders already exists and was not created by this object; delete or rename it").Obj(),
		statustest.MakeHandler("carts").In("market").Obj())
	return objs
}

// measuredOften is a rollout that was measured six times while a user looked.
func measuredOften() Model {
	m := open(statustest.Analysed(), willing())
	for i, latency := range []string{"180 ms", "190 ms", "210 ms", "1.2 s", "305.5 ms", "290 ms"} {
		objs := statustest.Analysed()
		at := metav1.NewTime(statustest.Now.Add(time.Duration(i+1) * 30 * time.Second))
		for n := range 2 {
			metric := &objs.Handlers[0].Status.Rollout.Analysis[n]
			metric.MeasuredAt, metric.Samples = &at, metric.Samples+int64(100*i)
		}
		objs.Handlers[0].Status.Rollout.Analysis[1].Value = latency
		s := snapshotMsg(status.Build(objs, at.Time))
		m = send(m, s, s) // a snapshot without a new measurement adds nothing
	}
	return m
}

// fits holds that a view is exactly as large as its terminal.
func fits(t *testing.T, view string, width, height int) {
	t.Helper()
	lines := strings.Split(strings.TrimSuffix(view, "\n"), "\n")
	if len(lines) != height {
		t.Errorf("%d lines on a terminal of %d:\n%s", len(lines), height, view)
	}
	for i, line := range lines {
		if w := lipgloss.Width(line); w > width {
			t.Errorf("line %d is %d wide on a terminal of %d: %s", i+1, w, width, line)
		}
	}
}

// TestAnySizeFits draws every view on terminals of every odd size.
func TestAnySizeFits(t *testing.T) {
	wider, higher := 16, 5
	if detector.Enabled {
		wider, higher = 64, 20 // one goroutine
	}
	for _, objs := range []status.Objects{statustest.Analysed(), statustest.DrainingZero(), twoTeams()} {
		for name, m := range views(objs) {
			for width := 1; width < 130; width += wider {
				for height := 1; height < 45; height += higher {
					got := ansi.Strip(sized(m, width, height).View().Content)
					if lines := strings.Split(got, "\n"); len(lines) != height {
						t.Fatalf("%s: %d lines on %dx%d:\n%s", name, len(lines), width, height, got)
					}
					if w := lipgloss.Width(got); w > width {
						t.Fatalf("%s: %d wide on %dx%d:\n%s", name, w, width, height, got)
					}
				}
			}
		}
	}
}
