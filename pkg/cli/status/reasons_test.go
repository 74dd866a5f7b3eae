package status_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/clitest"
	"gati.dev/gati/internal/testing/reasons"
	"gati.dev/gati/internal/testing/statustest"
	"gati.dev/gati/pkg/controller/report"
	"gati.dev/gati/pkg/status"
)

// TestEveryReasonIsShown walks everything that a rollout waits for, and every reason why
// a version stays. The page, the JSON document and the controller's condition have each
// in the same words. pkg/rollout holds that the decision has them; pkg/tui, the view.
func TestEveryReasonIsShown(t *testing.T) {
	for _, reason := range reasons.Waiting() {
		t.Run("waiting/"+string(reason), func(t *testing.T) {
			objs, message := statustest.AtStep(), "the message about "+string(reason)
			objs.Handlers[0].Status.Rollout.WaitingFor = &v1.WaitingStatus{Reason: reason, Message: message}
			shown := shownBy(t, objs, message)
			if w := shown.Rollout.WaitingFor; w == nil || w.Reason != reason || w.Message != message {
				t.Errorf("the document has %+v", w)
			}
		})
	}
	for _, reason := range reasons.Stays() {
		t.Run("stays/"+string(reason), func(t *testing.T) {
			objs, message := statustest.Draining(), "the message about "+string(reason)
			statustest.Stay(&objs, reason, time.Minute, message)
			shown := shownBy(t, objs, message)
			if s := shown.Versions[1].Stays; s == nil || s.Reason != reason || s.Message != message || s.NotBefore == nil {
				t.Errorf("the document has %+v", s)
			}
		})
	}
}

// shownBy holds that the page shows a message beside the condition, and returns what the
// document has.
func shownBy(t *testing.T, objs status.Objects, message string) status.Handler {
	t.Helper()
	st := &objs.Handlers[0].Status
	st.Conditions = nil
	report.Apply(&st.Conditions, report.Seen{Generation: 1, Sentence: "Decided: " + message + "."}, statustest.Now)
	server := clitest.NewServer(t, objs)
	page := clitest.Run(t.Context(), "", append([]string{"status", "users"}, server.Connection()...)...).Stdout
	if strings.Count(page, message) < 2 || !strings.Contains(page, "Decided: "+message) {
		t.Errorf("the page does not show it beside the condition:\n%s", page)
	}
	var s status.Snapshot
	document := clitest.Run(t.Context(), "", append([]string{"status", "users", "-o", "json"}, server.Connection()...)...).Stdout
	if err := json.Unmarshal([]byte(document), &s); err != nil {
		t.Fatal(err)
	}
	return s.Handlers[0]
}
