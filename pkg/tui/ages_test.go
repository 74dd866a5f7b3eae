package tui

import (
	"strings"
	"testing"
	"time"

	"gati.dev/gati/internal/testing/statustest"
	"gati.dev/gati/pkg/status"
)

// TestAgesMoveWithTheClock holds that an age grows by each second of the view, between
// snapshots too, and never goes back: a snapshot is some moments old when it comes.
func TestAgesMoveWithTheClock(t *testing.T) {
	objs := statustest.AtStep()
	objs.Handlers[0].CreationTimestamp = statustest.Ago(20 * time.Second)
	start := statustest.Now
	m := sized(newModel(Options{First: status.Build(objs, start), One: true, Backend: willing()}), 120, 60)
	for i, step := range []struct {
		want string
		msg  any
	}{
		{"20s old", tickMsg(start)},
		{"21s old", tickMsg(start.Add(time.Second))},
		{"27s old", tickMsg(start.Add(7 * time.Second))},
		{"27s old", snapshotMsg(status.Build(objs, start.Add(5*time.Second)))},
		{"28s old", tickMsg(start.Add(8 * time.Second))},
		{"30s old", snapshotMsg(status.Build(objs, start.Add(10*time.Second)))},
	} {
		m = send(m, step.msg)
		if text := plain(m); !strings.Contains(text, step.want) {
			t.Errorf("step %d: want %s in\n%s", i, step.want, text)
		}
	}
}
