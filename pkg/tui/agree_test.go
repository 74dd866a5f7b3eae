package tui

import (
	"strings"
	"testing"
	"time"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/reasons"
	"gati.dev/gati/internal/testing/statustest"
	"gati.dev/gati/pkg/status"
)

// TestEveryReasonIsShown walks everything that a rollout waits for, and every reason why
// a version stays: the page of the handler has each in the controller's words.
func TestEveryReasonIsShown(t *testing.T) {
	for _, reason := range reasons.Waiting() {
		objs, message := statustest.AtStep(), "the message about "+string(reason)
		objs.Handlers[0].Status.Rollout.WaitingFor = &v1.WaitingStatus{Reason: reason, Message: message}
		shows(t, objs, message)
	}
	for _, reason := range reasons.Stays() {
		objs, message := statustest.Draining(), "the message about "+string(reason)
		statustest.Stay(&objs, reason, time.Minute, message)
		objs.Handlers[0].Status.Conditions = nil
		shows(t, objs, "draining for 18m; removed in 1m00s ("+message+")")
	}
}

func shows(t *testing.T, objs status.Objects, text string) {
	t.Helper()
	if got := plain(sized(open(objs, willing()), 160, 60)); !strings.Contains(got, text) {
		t.Errorf("does not show %q:\n%s", text, got)
	}
}

// TestKeysAgreeWithEffect presses every key in every scenario: a request is offered
// where its effect is no refusal, and refused in the same words where it is.
func TestKeysAgreeWithEffect(t *testing.T) {
	for name, objs := range statustest.Scenarios() {
		m := sized(open(objs, willing()), 240, 60)
		h := m.focusedHandler()
		if h == nil {
			continue
		}
		for _, a := range handlerActions(h) {
			effect, after := h.Effect(string(a.verb), a.argument), press(m, a.names[0])
			offered := after.asking.state == confirming
			if offered == (effect.Refused != "") {
				t.Errorf("%s: key %s: offered %t, %+v", name, a.shown, offered, effect)
			}
			if want := string(a.verb) + ": " + effect.Refused; !offered && after.note != want {
				t.Errorf("%s: key %s says %q, want %q", name, a.shown, after.note, want)
			}
			if grey := strings.Contains(plain(m), "× "+a.does); grey == offered {
				t.Errorf("%s: key %s is grey: %t, offered: %t", name, a.shown, grey, offered)
			}
		}
	}
}
