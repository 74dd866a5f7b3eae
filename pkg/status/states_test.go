package status_test

import (
	"encoding/json"
	"os"
	"testing"

	v1 "gati.dev/gati/api/v1"
	"gati.dev/gati/internal/testing/statustest"
	"gati.dev/gati/pkg/status"
)

// TestViewAgreesWithTheController holds that the view has the controller's verdict on
// every state that pkg/controller/report can be in, where no pod says otherwise.
func TestViewAgreesWithTheController(t *testing.T) {
	text, err := os.ReadFile("../controller/report/testdata/states.json")
	if err != nil {
		t.Fatal(err)
	}
	states := map[string]v1.GatiHandlerStatus{}
	if err := json.Unmarshal(text, &states); err != nil || len(states) == 0 {
		t.Fatalf("%d states: %v", len(states), err)
	}
	for name, state := range states {
		t.Run(name, func(t *testing.T) {
			h := statustest.MakeHandler("users").Generation(7).Obj()
			h.Status = state
			got := status.Build(status.Objects{Handlers: []v1.GatiHandler{h}}, statustest.Now).Handlers[0]
			if string(got.Health) != string(state.Health) || got.Reason == "" || got.Next == "" && got.Health != status.Healthy {
				t.Errorf("%s: %s → %s; want %s", got.Health, got.Reason, got.Next, state.Health)
			}
		})
	}
}
